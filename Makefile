PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
BUILT := setup.py $(wildcard native/*)
SUDO := $(if $(filter 0,$(shell id -u)),,sudo)
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# a test run starts hundreds of processes, and none should compile what another has compiled
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help run docs publish-docs release test-wheel test-lowest test-newest native java quick test pytest test-all test-orders lint fuzz fuzz-native chromium postgresql groonga torture bench coverage mutants clean

help: ## what can be made
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/'

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.run: pyproject.toml constraints.txt $(BUILT) | $(BIN)/python
	@echo "Installing everything into $(VENV), which takes a few minutes the first time."
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[all]'
	@touch $@

$(VENV)/.test: pyproject.toml constraints.txt $(BUILT) | $(BIN)/python
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[test,lint]'
	@touch $@

$(VENV)/.mutants: pyproject.toml constraints.txt $(BUILT) | $(BIN)/python
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[mutants]'
	@touch $@

$(VENV)/.bench: pyproject.toml constraints.txt $(BUILT) | $(BIN)/python
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[all,peers,test]'
	@touch $@

$(VENV)/.docs: pyproject.toml constraints.txt $(BUILT) | $(BIN)/python
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[docs]'
	@touch $@

$(VENV)/.release: pyproject.toml constraints.txt $(BUILT) | $(BIN)/python
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[release]'
	@touch $@

run: $(VENV)/.run ## install everything that users need into .venv and run a whole experiment, offline
	$(BIN)/cranfield demo

docs: $(VENV)/.docs ## build the documentation as a site, which opens without a network: build/site/index.html
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build

publish-docs: $(VENV)/.docs ## add VERSION to the published site (branch gh-pages), also as ALIAS
	NO_MKDOCS_2_WARNING=1 DOCS_VERSIONS=mike $(BIN)/mike deploy --push --update-aliases $(VERSION) $(ALIAS)
	$(if $(ALIAS),$(BIN)/mike set-default --push $(ALIAS))

lint: $(VENV)/.test ## ruff, mypy, import-linter
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# a compiler without a built extension would leave the native engine untested
native: $(VENV)/.test
	@! command -v $${CC:-cc} >/dev/null || $(BIN)/python -c "import cranfield._native"

# one process more than two processors, because tests also wait for browsers and databases; each begins with a part of the
# files, so that a browser, a server or a Spark cluster is mostly started once; threads of linear algebra would only wait
# for each other beside the other processes
PYTEST := OPENBLAS_NUM_THREADS=1 $(BIN)/pytest --numprocesses 3
SPREAD := $(PYTEST) --dist worksteal
quick: $(VENV)/.test native ## the tests that need no browser, database server, JVM or other process
	OPENBLAS_NUM_THREADS=1 $(BIN)/pytest --numprocesses 2 --dist worksteal --hypothesis-profile=quick \
		-m 'not simulation and not thorough and not beside'

test: $(VENV)/.test chromium postgresql groonga java native ## install what the tests need and run all but simulations and further seeds
	$(MAKE) --no-print-directory --jobs 2 lint pytest

pytest:
	$(SPREAD)

test-all: $(VENV)/.test lint chromium postgresql groonga java ## all tests, with simulations of coverage and error rates, further seeds and examples
	$(SPREAD) -m '' --hypothesis-profile=thorough

test-orders: $(VENV)/.test chromium postgresql groonga java ## the tests under five hash seeds, each with modules and their tests in another order
	for seed in 1 2 3 4 5; do \
		PYTHONHASHSEED=$$seed $(SPREAD) --random-order --random-order-bucket=module --random-order-seed=$$seed || exit 1; \
	done

fuzz: $(VENV)/.test ## random data for FUZZ_SECONDS (300): a failure is shrunk and printed as a test
	PYTHONPATH=tests $(BIN)/python -m fuzz $(FUZZ)

SANITIZED := build/sanitized/_native.so
fuzz-native: $(VENV)/.test ## the same for rankings on the native engine, under Address- and UndefinedBehaviorSanitizer
	@mkdir -p $(dir $(SANITIZED))
	$${CC:-cc} -shared -fPIC -g -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all \
		-DPy_LIMITED_API=0x030B0000 -I$$($(BIN)/python -c "import sysconfig; print(sysconfig.get_path('include'))") \
		native/*.c -o $(SANITIZED)
	ASAN_OPTIONS=detect_leaks=0:alloc_dealloc_mismatch=0 PYTHONPATH=tests \
		LD_PRELOAD="$$($${CC:-cc} -print-file-name=libasan.so) $$($${CC:-cc} -print-file-name=libstdc++.so.6)" \
		$(BIN)/python -m fuzz.sanitized $(SANITIZED) $(FUZZ)

chromium: # the browser that pages are tested in
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null \
		|| ($(SUDO) apt-get update && $(SUDO) apt-get install --yes --no-install-recommends chromium)

postgresql: # the database server that campaigns are tested on, beside SQLite
	@ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 \
		|| ($(SUDO) apt-get update && $(SUDO) apt-get install --yes --no-install-recommends postgresql)

groonga: # the search engine that fetching is tested on
	@command -v groonga >/dev/null \
		|| ($(SUDO) apt-get update && $(SUDO) apt-get install --yes --no-install-recommends groonga-server-http)

java: # what Spark runs on
	@command -v java >/dev/null \
		|| ($(SUDO) apt-get update && $(SUDO) apt-get install --yes --no-install-recommends openjdk-17-jre-headless)

mutants: $(VENV)/.mutants ## a sample of 300 mutants; fails unless the tests kill nine in ten
	$(BIN)/python -m tools.mutants

torture: $(VENV)/.test postgresql ## kill -9 the writer 200 times under load, on SQLite and PostgreSQL
	KILL_ROUNDS=200 $(BIN)/pytest tests/campaign/store/test_kill.py --numprocesses 0

coverage: $(VENV)/.test ## how often intervals over items cover, as in docs/reference/coverage.md; resumes in build/coverage
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m tools.coverage

release: $(VENV)/.release ## build the sdist and this machine's wheels into dist/, and check them
	$(BIN)/python -m tools.release

test-wheel: $(VENV)/.release ## the library's tests against the wheel in dist/, outside this folder
	$(BIN)/python -m tools.release.outside $(TESTS)

test-lowest: $(VENV)/.release ## the same with the lowest version of every dependency that pyproject.toml allows
	$(BIN)/python -m tools.release.outside --lowest $(TESTS)

test-newest: $(VENV)/.release ## the same with the newest versions
	$(BIN)/python -m tools.release.outside --newest $(TESTS)

bench: $(VENV)/.bench chromium java ## cranfield beside its peers, in one run
	$(BIN)/python -m benchmarks --docs docs
	$(BIN)/python -m benchmarks.serving
	$(BIN)/python -m benchmarks.judging

clean: ## remove what was made
	rm -rf $(VENV) build dist bench-data cranfield-demo .mypy_cache .ruff_cache .hypothesis
