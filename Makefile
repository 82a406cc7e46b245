PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SUDO := $(if $(filter 0,$(shell id -u)),,sudo)
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: help run test lint chromium bench clean

help: ## what can be made
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/'

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.run: pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/pip install --quiet --constraint constraints.txt --editable .
	@touch $@

$(VENV)/.test: pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[test,lint]'
	@touch $@

$(VENV)/.bench: pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[all,peers]'
	@touch $@

run: $(VENV)/.run ## evaluate the example runs and print the table
	$(BIN)/cranfield eval examples/qrels.txt examples/bm25.run examples/dense.run -m AP -m nDCG@10 -m RR -m P@5

lint: $(VENV)/.test ## ruff, mypy, import-linter
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test: $(VENV)/.test lint chromium ## install what the tests need and run them all
	$(BIN)/pytest --numprocesses 2

chromium: # the browser that pages are tested in
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null \
		|| ($(SUDO) apt-get update && $(SUDO) apt-get install --yes --no-install-recommends chromium)

bench: $(VENV)/.bench ## cranfield beside its peers, in one run
	$(BIN)/python -m benchmarks

clean: ## remove what was made
	rm -rf $(VENV) build dist bench-data .mypy_cache .ruff_cache .hypothesis
