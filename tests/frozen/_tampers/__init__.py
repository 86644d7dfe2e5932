"""Tamper cases, each entered under its name."""
