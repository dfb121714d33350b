# The commands of the project; CI calls `make lint test` and nothing else.
PYTHON ?= python3
BIN := .venv/bin
ifeq ($(OS),Windows_NT)
BIN := .venv/Scripts
endif

# What is run with bounds checks too: the kernels and players, which index tables by what a game gives them.
GAMES := criss_cross cross_off crosswise
BOUNDED := $(GAMES:%=tests/sims/test_%.py) $(GAMES:%=tests/strategies/test_%.py) tests/sims/test_asking.py

.PHONY: demo test test-slow lint docs notebooks bench clean

demo: .venv/installed
	$(BIN)/crosslab compare criss-cross line-solver greedy --deals 200k --report out/demo

test: .venv/developed
	$(BIN)/python -m pytest -n auto
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -n auto
	NUMBA_BOUNDSCHECK=1 $(BIN)/python -m pytest -n auto $(BOUNDED)

test-slow: .venv/developed
	$(BIN)/python -m pytest -m slow
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -m slow --ignore tests/sims tests/analysis tests/crosslab

lint: .venv/developed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: .venv/documented
	rm -rf out/docs docs/api/modules
	$(BIN)/python -m sphinx --quiet --fail-on-warning --keep-going docs out/docs
	@echo "docs: out/docs/index.html"

notebooks: .venv/interactive
	TQDM_DISABLE=1 $(BIN)/python -m nbconvert --execute --to html --output-dir out/notebooks \
		--template page --TemplateExporter.extra_template_basedirs=notebooks notebooks/*.ipynb
	@echo "notebooks: out/notebooks/*.html"

bench: .venv/installed
	$(BIN)/python benchmarks/readme_table.py

clean:
	rm -rf .venv out notebooks/out docs/api/modules build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/bin/python .venv/Scripts/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "crosslab needs Python 3.11 or later: make PYTHON=python3.11 …")'
	$(PYTHON) -m venv .venv

.venv/installed: pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable .
	touch $@

.venv/developed: pyproject.toml constraints.txt | .venv/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	touch $@

.venv/documented: pyproject.toml constraints.txt | .venv/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[docs]'
	touch $@

.venv/interactive: pyproject.toml constraints.txt | .venv/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[notebooks]'
	touch $@
