# demo: the sample world, served. test: every check CI runs. The rest: one line each.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
PY := .venv/bin/python

.PHONY: demo run test check bench install tools browser lock

demo: install
	$(PY) app.py demo

run: install
	$(PY) app.py serve

test: check
	$(PY) -m pytest

check: tools browser
	$(PY) -m ruff check . && $(PY) -m ruff format --check . && $(PY) -m mypy

bench: tools
	$(PY) -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-bench.txt
	$(PY) -m bench

install: .venv/installed

tools: .venv/tools

# A bare Debian has Python without ensurepip; its package is asked for only then.
.venv/bin/python:
	$(PYTHON) -m venv .venv || { rm -rf .venv && apt-get update && apt-get install -y python3-venv && $(PYTHON) -m venv .venv; }

.venv/installed: requirements.txt | .venv/bin/python
	$(PY) -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.txt
	touch $@

.venv/tools: requirements-dev.txt | .venv/bin/python
	$(PY) -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.txt
	touch $@ .venv/installed

# Debian's Chromium for the browser tests; where it cannot be had they are skipped with a reason.
browser:
	@command -v chromium >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update && apt-get install -y chromium; } || echo "No Chromium here: the browser tests will be skipped."

LOCK := $(PY) -m piptools compile --quiet --generate-hashes --no-header --strip-extras --allow-unsafe --no-emit-index-url --no-emit-find-links --no-emit-trusted-host
lock: tools
	$(LOCK) -o requirements.txt pyproject.toml
	$(LOCK) --extra dev -o requirements-dev.txt pyproject.toml
	$(LOCK) --extra bench -o requirements-bench.txt pyproject.toml
