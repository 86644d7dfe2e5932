"""The command line."""

from microveil.cli.app import main as main
