# Everything starts from a fresh checkout: each target builds the virtual environment it needs.
PYTHON ?= python3
# Another interpreter gets an environment of its own: `make test PYTHON=python3.13` builds .venv-3.13.
ifeq ($(PYTHON),python3)
VENV := .venv
else
VERSION := $(shell $(PYTHON) -c "import sys; print('%d.%d' % sys.version_info[:2])")
VENV := .venv-$(or $(VERSION),$(error PYTHON=$(PYTHON) does not run; name an interpreter that does))
endif
ifeq ($(OS),Windows_NT)
BIN := $(VENV)/Scripts
else
BIN := $(VENV)/bin
endif
APP := $(VENV)/.app
DEV := $(VENV)/.dev
APP_EXTRAS := web,molecules
DEV_EXTRAS := $(APP_EXTRAS),postgresql,plots,notebook,reproduce,dask,optuna,docs,dev
# Extras that need torch: `auto` installs them where pip finds a build without CUDA, `yes` always, `no` never.
TORCH ?= auto
TORCH_EXTRAS := botorch,bench
# The lock holds for the packages and for the tools that build this one (from pip 25.3 on by the second name).
LOCKED := PIP_CONSTRAINT=constraints.txt PIP_BUILD_CONSTRAINT=constraints.txt PIP_DISABLE_PIP_VERSION_CHECK=1
INSTALL := $(LOCKED) $(BIN)/python -m pip install --quiet
# One BLAS thread a worker: workers that wait for each other are slower than one alone.
export OPENBLAS_NUM_THREADS := 1
PYTEST := $(BIN)/python -m pytest -n auto -q

.PHONY: help run test system check lint docs packaging soak lock clean

help:            ## What there is to make
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## */\t/'

$(APP): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	@echo "Installing the app into $(VENV); this takes a minute."
	$(INSTALL) -e ".[$(APP_EXTRAS)]"
	touch $(APP)

$(DEV): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	@echo "Installing the app, its tests and its documentation into $(VENV); this takes some minutes."
	extras=$$($(LOCKED) $(BIN)/python scripts/choose_extras.py $(DEV_EXTRAS) $(TORCH_EXTRAS) $(TORCH)) && $(INSTALL) -e ".[$$extras]"
	touch $(APP) $(DEV)

run: $(APP)      ## The app with three examples: open the link that it prints
	$(BIN)/anchorpbo serve --demo

test: lint system  ## Everything: style, types, layers, all tests, all documented code
	$(PYTEST)

system:          ## Chromium, PostgreSQL and nginx, which some tests need, where they are missing
	bash scripts/system_packages.sh

check: lint      ## The same without the slow oracles, for the desk
	$(PYTEST) -m "not slow"

lint: $(DEV)     ## Style, types and layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: $(DEV)     ## The documentation as a site in site/, every warning an error
	$(BIN)/python -m properdocs build --strict
	@echo "Open site/index.html, or serve the folder: python3 -m http.server --directory site"

packaging: $(DEV)     ## Build the package, and install each extra alone in a clean environment
	$(BIN)/python scripts/check_packaging.py --download

soak: export ANCHORPBO_SOAK_SECONDS := 3600
soak: $(DEV) system   ## An hour of random models and studies, a server killed again and again, and one that many use
	$(PYTEST) tests/soak/test_random_models.py tests/soak/test_random_studies.py tests/app/storage/test_damage.py
	# Alone, for it also looks at how long people wait.
	$(BIN)/python -m pytest -q -s tests/soak/test_server_soak.py tests/soak/test_long_studies.py tests/app/web/test_rest_fuzz.py

lock: $(DEV)     ## Renew constraints.txt, the lock: the newest versions that fit, for Python 3.11 to 3.13
	$(BIN)/uv pip compile pyproject.toml --quiet --all-extras --universal --python-version 3.11.5 --upgrade --no-annotate \
		--custom-compile-command "make lock" --output-file constraints.txt

clean:           ## Remove what make made
	rm -rf .venv .venv-* site dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
