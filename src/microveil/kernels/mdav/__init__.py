"""MDAV by several engines that give the same labels.

- `engine`: `mdav`
- `generic`: `mdav_generic`
- `indexed`: `search_rounds`
- `plain`: `mdav_plain`
"""

__all__ = ["engine", "generic", "indexed", "plain"]
