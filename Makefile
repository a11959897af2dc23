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

.PHONY: help run test system check lint docs packaging soak clean

help:            ## What there is to make
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## */\t/'

$(INSTALLED): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	@echo "Installing into $(VENV); this takes a minute."
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[web,postgresql,molecules,plots,notebook,reproduce,dask,botorch,optuna,bench,docs,dev]"
	touch $(INSTALLED)

run: $(INSTALLED)    ## The app with three examples: open the address that it prints
	$(BIN)/anchorpbo serve --demo

test: lint system  ## Everything: style, types, layers, all tests, all documented code
	$(PYTEST)

system:          ## Chromium and PostgreSQL, which some tests need, where they are missing
	bash scripts/system_packages.sh

check: lint      ## The same without the slow oracles, for the desk
	$(PYTEST) -m "not slow"

lint: $(INSTALLED)   ## Style, types and layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: $(INSTALLED)   ## The documentation as a site in site/, every warning an error
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet
	@echo "Open site/index.html, or serve the folder: python3 -m http.server --directory site"

packaging: $(INSTALLED)   ## Build the package, and install each extra alone in a clean environment
	$(BIN)/python scripts/check_packaging.py --download

soak: export ANCHORPBO_SOAK_SECONDS := 3600
soak: $(INSTALLED) system   ## An hour of random models, a server killed again and again, and one that many use
	$(PYTEST) tests/soak/test_random_models.py tests/storage/test_damage.py
	# Alone, for it also looks at how long people wait.
	$(BIN)/python -m pytest -q -s tests/soak/test_server_soak.py tests/soak/test_long_studies.py tests/web/test_rest_fuzz.py

clean:           ## Remove what make made
	rm -rf $(VENV) site dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
