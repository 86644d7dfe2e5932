"""What a file says about its columns beside their values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Codebook:
    """Value labels and variable labels of a file, and where it was read (private).

    `labels` maps a column to the text of its codes, `titles` maps a column to its description. Files
    without labels (CSV, Parquet) have an empty codebook.
    """

    labels: Mapping[str, Mapping[Any, str]] = field(default_factory=dict, hash=False)
    titles: Mapping[str, str] = field(default_factory=dict, hash=False)
    source: Path | None = field(default=None, repr=False)

    def of_levels(self, name: str, levels: Mapping[Any, Any] | set[Any]) -> dict[Any, str]:
        """The labels of one column for the levels named, and no other."""
        return {code: text for code, text in self.labels.get(name, {}).items() if code in levels}
