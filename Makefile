# Every target sets up what it needs, so that any of them works on a fresh clone.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test test-quick test-full test-without-data frozen test-app test-oldest test-core lint site bench setup dist docs reproduce mutants faults fuzz fuzz-minute house clean

# a report with map of one method's settings, then the whole way to signed packages
demo: $(VENV)/.demo
	$(BIN)/microveil demo
	$(BIN)/microveil demo --signed

# the behaviour of the product; make test TESTS=tests/mask runs the tests of one package
RUN_TESTS := $(BIN)/python -m pytest -n auto --dist loadfile
test: $(VENV)/.dev
	$(RUN_TESTS) -m "not full" $(TESTS)

# something of every package in less than two minutes, for work on the code
test-quick: $(VENV)/.dev
	$(RUN_TESTS) -m "not full and not long" $(TESTS)

# the behaviour against what was recorded before; python -m tests.frozen accept records a reviewed difference
frozen: $(VENV)/.dev
	$(BIN)/python -m tests.frozen compare $(PART)

# what make test leaves out: grids, many draws, large files, all formats and engines by all methods
test-full: $(VENV)/.dev
	$(RUN_TESTS) -m full $(TESTS)

# the quick tests, and all that read reference files, where there are none: each of these is skipped with its reason
test-without-data: $(VENV)/.dev
	MICROVEIL_DATA=no-reference-files $(RUN_TESTS) -m "not full and (reference or not long)" $(TESTS)

# a part of the tests that touches every room, and does not take long
SMOKE ?= tests/test_package.py tests/core tests/data/test_microdata.py tests/data/test_frames.py tests/io/test_round_trip.py \
	tests/partition/test_mdav.py tests/mask/test_microaggregation.py tests/hybrid/test_micro_hybrid.py tests/loss/test_pil.py \
	tests/risk/test_distance_linkage.py tests/plan/test_plan.py tests/plan/test_log.py tests/cli/test_cli.py

# with the oldest version of every dependency that pyproject.toml allows (tools/oldest.txt)
test-oldest: .venv-oldest/.done
	.venv-oldest/bin/python -m pytest -n auto -p no:cacheprovider -m "not full" $(SMOKE)

# with what a plain installation has, neither pandas nor polars nor anything else that is optional: the tests that need
# none of these, every method by its release marks, and the whole way from a file to a report
CORE ?= tests/core/test_registry.py tests/core/test_parameters.py tests/core/test_streams.py tests/claims tests/data/test_units.py \
	tests/io/test_csv.py tests/io/test_statistical.py tests/io/test_xlsx_read.py tests/io/test_xlsx_write.py \
	tests/partition/test_mdav.py tests/run/test_parts.py tests/plan/test_project.py tests/hybrid/test_forming.py \
	tests/report/test_charts.py tests/frozen/test_marks.py
test-core: .venv-core/.done
	.venv-core/bin/python -m pytest -n auto -p no:cacheprovider -m "not full" $(CORE)
	.venv-core/bin/microveil demo -d .venv-core/demo --force

# the app, in a browser too where there is one
test-app: $(VENV)/.dev
	$(BIN)/python -m pytest tests/app

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.dev
	$(BIN)/python -m benchmarks

docs: $(VENV)/.dev
	$(BIN)/python -c "from microveil.report import write_catalogue; write_catalogue('docs/catalogue.md')"

# the documentation as a site in site/, which opens from the folder and fetches nothing
site: $(VENV)/.docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo "open site/index.html"

reproduce: $(VENV)/.dev
	$(BIN)/microveil reproduce -o docs/reproduction.html --force

# faults planted in a copy of the package: which ones do the tests notice? FAULTS="-n 200 --seed 7 -j 2"
mutants: $(VENV)/.dev
	$(BIN)/python -m tools.mutants $(FAULTS)

# runs that are killed at every step and at random times: what is left? KILLS="--steps 150 --random 50"
faults: $(VENV)/.dev
	$(BIN)/python -m tools.faults $(KILLS)

# damaged files and projects for every reader: only clear errors? FUZZ="--minutes 60"
fuzz: $(VENV)/.dev
	$(BIN)/python -m tools.fuzz $(FUZZ)

# the same inputs every time, damaged by chance and led by coverage (atheris); part of .ci/run
GUIDED ?= csv xlsx parquet project.yaml
fuzz-minute: $(VENV)/.dev
	$(BIN)/python -m tools.fuzz --minutes 0.5
	for kind in $(GUIDED); do $(BIN)/python -m tools.fuzz.guided $$kind 0.1 || exit 1; done

# how large the house is, who leans on whom and what an addition costs, beside an earlier commit: docs/house.md
BEFORE ?= f30713e
house: $(VENV)/.dev
	$(BIN)/python -m tools.house --before $(BEFORE)

setup: $(VENV)/.dev

# the wheel, which pip installs anywhere, also where there is no make, and the source archive; both are checked, and the
# wheel is installed into a fresh environment and tried (DIST= leaves that out)
DIST ?= --install
dist: $(VENV)/.core
	rm -rf dist
	$(BIN)/python -m pip install --quiet --disable-pip-version-check build
	$(BIN)/python -m build --outdir dist .
	$(BIN)/python -m tools.dist dist $(DIST)

$(VENV)/.core: pyproject.toml
	$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11) and 'microveil needs Python 3.11 or newer; try make PYTHON=python3.12')"
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	touch $@

.venv-oldest/.done: pyproject.toml tools/oldest.txt
	$(PYTHON) -m venv .venv-oldest
	.venv-oldest/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[all]' --requirement tools/oldest.txt
	touch $@

.venv-core/.done: pyproject.toml
	$(PYTHON) -m venv .venv-core
	.venv-core/bin/python -m pip install --quiet --disable-pip-version-check --editable . pytest pytest-xdist hypothesis
	touch $@

# the extras that the demo shows
$(VENV)/.demo: $(VENV)/.core
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[sign]'
	touch $@

$(VENV)/.docs: $(VENV)/.core
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	touch $@

$(VENV)/.dev: $(VENV)/.core
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

clean:
	rm -rf $(VENV) .venv-oldest .venv-core build dist site .pytest_cache .mypy_cache .ruff_cache .hypothesis
