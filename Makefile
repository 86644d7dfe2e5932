# Every target sets up what it needs, so that any of them works on a fresh clone.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test test-slow lint bench setup dist docs reproduce mutants house clean

demo: $(VENV)/.core
	$(BIN)/microveil demo

# make test TESTS=tests/mask runs one room
test: $(VENV)/.dev
	$(BIN)/python -m pytest -n auto -m "not slow" $(TESTS)

test-slow: $(VENV)/.dev
	$(BIN)/python -m pytest -n auto -m slow

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.dev
	$(BIN)/python -m benchmarks

docs: $(VENV)/.dev
	$(BIN)/python -c "from microveil.report import write_catalogue; write_catalogue('docs/catalogue.md')"

reproduce: $(VENV)/.dev
	$(BIN)/microveil reproduce -o docs/reproduction.html --force

# faults planted in a copy of the package: which ones do the tests notice? FAULTS="-n 200 --seed 7 -j 2"
mutants: $(VENV)/.dev
	$(BIN)/python -m tools.mutants $(FAULTS)

# how large the house is, who leans on whom and what an addition costs, beside an earlier commit: docs/house.md
BEFORE ?= f30713e
house: $(VENV)/.dev
	$(BIN)/python -m tools.house --before $(BEFORE)

setup: $(VENV)/.dev

# one file that pip installs anywhere, also where there is no make: pip install dist/microveil-*.whl
dist: $(VENV)/.core
	rm -rf dist
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .
	@ls dist/*.whl

$(VENV)/.core: pyproject.toml
	$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11) and 'microveil needs Python 3.11 or newer; try make PYTHON=python3.12')"
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	touch $@

$(VENV)/.dev: $(VENV)/.core
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
