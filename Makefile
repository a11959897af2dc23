# Everything starts from a fresh checkout: each target builds the virtual environment it needs.
PYTHON ?= python3
VENV := .venv
ifeq ($(OS),Windows_NT)
BIN := $(VENV)/Scripts
else
BIN := $(VENV)/bin
endif
INSTALLED := $(VENV)/.installed
# One BLAS thread a worker: workers that wait for each other are slower than one alone.
export OPENBLAS_NUM_THREADS := 1
PYTEST := $(BIN)/python -m pytest -n auto -q

.PHONY: help run test check lint soak clean

help:            ## What there is to make
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## */\t/'

$(INSTALLED): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	@echo "Installing into $(VENV); this takes a minute."
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[cli,reproduce,dask,bench,dev]"
	touch $(INSTALLED)

run: $(INSTALLED)    ## A whole study with a simulated expert, in the terminal
	$(BIN)/anchorpbo demo

test: lint       ## Everything: style, types, layers, all tests, all documented code
	$(PYTEST)

check: lint      ## The same without the slow oracles, for the desk
	$(PYTEST) -m "not slow"

lint: $(INSTALLED)   ## Style, types and layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

soak: export ANCHORPBO_SOAK_SECONDS := 3600
soak: $(INSTALLED)   ## An hour of random models (make test has twenty seconds of it)
	$(PYTEST) tests/soak

clean:           ## Remove what make made
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
