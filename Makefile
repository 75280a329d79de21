# Everything is made from the environment up: a fresh clone needs Python, make and a package index.
#
#   make generate   make generated/ from specs/ and templates/
#   make test       check that generated/ is fresh and run all tests
#   make check      freshness, lint and types
#   make clean      remove what the other targets made outside generated/

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
JOBS ?= 2

# Each stamp stands for packages that are installed in $(VENV).
GENERATOR := $(VENV)/generator.stamp
TESTS := $(VENV)/tests.stamp
CHECKS := $(VENV)/checks.stamp
PACKAGE := $(VENV)/package.stamp

# The needs that pyproject.toml states, without the project itself: it cannot be installed while
# generated/ is missing. $(1) names the optional dependencies.
define install_needs
	@$(BIN)/python -c 'import sys, tomllib; p = tomllib.load(open("pyproject.toml", "rb")); \
	  print(*p["build-system"]["requires"], *p["project"]["dependencies"], \
	        *(n for e in sys.argv[1:] for n in p["project"]["optional-dependencies"][e]), sep="\n")' \
	  $(1) > $@.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r $@.txt
	@touch $@
endef

OPMILL := PYTHONPATH=generator $(BIN)/python -m opmill_gen

.DELETE_ON_ERROR:
.PHONY: generate test check verify clean

generate: $(GENERATOR)
	@$(OPMILL) generate
	@$(MAKE) --no-print-directory $(PACKAGE)

test: $(TESTS)
	@$(OPMILL) generate --check
	@$(MAKE) --no-print-directory $(PACKAGE)
	$(BIN)/python -m pytest -q -n $(JOBS)

check: $(CHECKS) $(TESTS)
	@$(OPMILL) generate --check
	@$(MAKE) --no-print-directory $(PACKAGE)
	$(BIN)/opmill verify
	$(BIN)/ruff check .
	$(BIN)/ruff format --check generator tests
	$(BIN)/mypy

verify: $(GENERATOR)
	@$(OPMILL) verify

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(GENERATOR): pyproject.toml | $(BIN)/python
	$(call install_needs,generator)

$(TESTS): pyproject.toml | $(BIN)/python
	$(call install_needs,generator tests)

$(CHECKS): pyproject.toml | $(BIN)/python
	$(call install_needs,generator checks)

# The distribution, editable: 'import opmill' and '.venv/bin/opmill' work, and follow the sources.
$(PACKAGE): pyproject.toml CMakeLists.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps --editable .
	@touch $@

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache generated/.opmill-stamp
	find generator generated tests templates -name __pycache__ -prune -exec rm -rf {} +
