"""Frozen behaviour: what microveil does, recorded before it is rebuilt, so that no change goes unnoticed.

    python -m tests.frozen compare [PART ...]                   every difference, one a line; status 1 if there is any
    python -m tests.frozen accept PART KEY ... --reason "..."   record the new values of these keys (`*` is a wildcard)
    python -m tests.frozen accept PART --all --reason "..."     record all new values of a part
    python -m tests.frozen record PART                          the first record of a new part

Accepted differences are appended to `accepted.toml`, each with its reason.

A part is a module of this folder (not `_*.py`, not `test_*.py`); its name is the name of the module. It defines

    def entries() -> Iterator[tuple[str, Any]]    # key, value in JSON terms; keys are unique

with many small keys rather than few large values, so that a difference shows what changed. It may also define

    TOLERANCE = 1e-9       floats are compared to this share, or this far from zero (left out: they must be equal)
    QUICK = 10             make test calls entries(sample=10), which yields about every tenth key; make test-full
                           calls entries(). 0: the part is in make test-full only. None: it has a test of its own.
                           Left out: always everything. Tests compare each part in a process of its own.
    NEEDS = ("typst",)     optional packages without which the part is skipped in tests
    LIBRARIES = ("numpy",) libraries on whose versions values depend: with others than versions.json states, tests skip
                           the part, and `compare` names them
    RECORD = Path(...)     the record, if it is not PART.json in this folder

A record is one JSON object with sorted keys, one key a line. Nothing in it depends on the day, the machine, the folder,
the number of threads or on files outside the repository: a new part is recorded, then compared in another process.
`__main__.py` sets one thread for linear algebra before anything is loaded, as `tests/conftest.py` does.
"""
