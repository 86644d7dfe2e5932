"""Pictures of the documentation, drawn with the pieces of the report's charts: `python -m tools.pictures`."""
