"""MDAV by several engines that give the same labels.

- `engine`: `mdav`
- `generic`: `mdav_generic`
- `indexed`: `mdav_indexed`
- `plain`: `mdav_plain`
"""

__all__ = ["engine", "generic", "indexed", "plain"]
