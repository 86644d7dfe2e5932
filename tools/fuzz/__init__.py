"""Damaged files and project files for every reader: only clear errors may come out (python -m tools.fuzz --help)."""
