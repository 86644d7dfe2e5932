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
MANIFEST, BEFORE, SUMMARY, STAGES_FILE = "manifest.json", "before.json", "run.json", "stages.jsonl"
# all that a folder that stays inside may hold
INSIDE_FILES = frozenset(
    {
        "certificate.json",
        *(f"{name}.{ending}" for name in (REPORT, SIGN_OFF) for ending in ("html", "pdf")),
        *(LOG, PROJECT, AUDIT, MANIFEST, BEFORE, SUMMARY, STAGES_FILE),
    }
)
