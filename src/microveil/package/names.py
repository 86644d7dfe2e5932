"""What folders and files of a run are called."""

from __future__ import annotations

PACKAGE, INSIDE = "package", "internal"
DATA = "data"  # what files of data are called: never as the source was
REPORT, SIGN_OFF, CODEBOOK, LOG, PROJECT, AUDIT = (
    "report",
    "sign_off",
    "codebook",
    "log.json",
    "project.yaml",
    "audit.txt",
)
