# Every target works in a fresh checkout: it builds the virtual environment it needs.
PYTHON ?= python3
# Another interpreter gets its own environment: `make test PYTHON=python3.13` builds .venv-3.13.
ifeq ($(PYTHON),python3)
VENV := .venv
else
VERSION := $(shell $(PYTHON) -c "import sys; print('%d.%d' % sys.version_info[:2])")
VENV := .venv-$(or $(VERSION),$(error PYTHON=$(PYTHON) does not run; choose another interpreter))
endif
ifeq ($(OS),Windows_NT)
BIN := $(VENV)/Scripts
else
BIN := $(VENV)/bin
endif
APP := $(VENV)/.app
DEV := $(VENV)/.dev
MODULES := node_modules/.installed
NPM := $(BIN)/python scripts/run_node.py npm
APP_EXTRAS := web,molecules
DEV_EXTRAS := $(APP_EXTRAS),postgresql,plots,notebook,reproduce,dask,optuna,docs,dev
# Extras that need torch: `auto` installs them if pip finds a build without CUDA, `yes` always, `no` never.
TORCH ?= auto
TORCH_EXTRAS := botorch,bench
# The lock applies to the packages and to the build tools (pip 25.3 and later read the second variable for these).
LOCKED := PIP_CONSTRAINT=constraints.txt PIP_BUILD_CONSTRAINT=constraints.txt PIP_DISABLE_PIP_VERSION_CHECK=1
INSTALL := $(LOCKED) $(BIN)/python -m pip install --quiet
# One BLAS thread per test worker, because workers with several threads would wait for each other.
export OPENBLAS_NUM_THREADS := 1
PYTEST := $(BIN)/python -m pytest -n auto -q

.PHONY: help run test system check lint types docs packaging soak lock clean

help:            ## List the targets
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## */\t/'

$(APP): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	@echo "Installing the app into $(VENV); this takes a minute."
	$(INSTALL) -e ".[$(APP_EXTRAS)]"
	touch $(APP)

$(DEV): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	@echo "Installing the app, its tests and its documentation into $(VENV); this takes a few minutes."
	extras=$$($(LOCKED) $(BIN)/python scripts/choose_extras.py $(DEV_EXTRAS) $(TORCH_EXTRAS) $(TORCH)) && $(INSTALL) -e ".[$$extras]"
	touch $(APP) $(DEV)

$(MODULES): package.json package-lock.json .npmrc | $(DEV)
	$(NPM) ci --silent
	touch $(MODULES)

run: $(APP)      ## Run the app with three examples; open the link that it prints
	$(BIN)/anchorpbo serve --demo

test: lint system  ## Run all checks and tests: style, types, layers, tests, documented code
	$(NPM) test
	$(PYTEST)

system:          ## Install Chromium, PostgreSQL and nginx, which some tests need, if they are missing
	bash scripts/system_packages.sh

check: lint      ## Run the same without the slow tests
	$(NPM) test
	$(PYTEST) -m "not slow"

lint: $(DEV) $(MODULES)  ## Check style, types and layers, of Python and JavaScript
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(NPM) run --silent lint

types: $(DEV) $(MODULES)  ## Write the types of the pages' scripts, after changing the REST interface or a template
	$(BIN)/python scripts/make_web_types.py

docs: $(DEV)     ## Build the documentation site in site/; warnings are errors
	$(BIN)/python -m properdocs build --strict
	@echo "Open site/index.html, or serve the folder: python3 -m http.server --directory site"

packaging: $(DEV)     ## Build the package, and install each extra in a clean environment
	$(BIN)/python scripts/check_packaging.py --download

soak: export ANCHORPBO_SOAK_SECONDS := 3600
soak: $(DEV) system   ## Test for an hour: random models and studies, a server killed repeatedly, a server under load
	$(PYTEST) tests/soak/test_random_models.py tests/soak/test_random_studies.py tests/app/storage/test_damage.py
	# Run separately, because these tests also measure waiting times.
	$(BIN)/python -m pytest -q -s tests/soak/test_server_soak.py tests/soak/test_long_studies.py tests/app/web/test_rest_fuzz.py

lock: $(DEV)     ## Update constraints.txt, the lock file: the newest compatible versions for Python 3.11 to 3.13
	$(BIN)/uv pip compile pyproject.toml --quiet --all-extras --universal --python-version 3.11.5 --upgrade --no-annotate \
		--custom-compile-command "make lock" --output-file constraints.txt

clean:           ## Remove the files that make created
	rm -rf .venv .venv-* node_modules site dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
