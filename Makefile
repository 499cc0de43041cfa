# demo: the sample world, served. test: every check CI runs. The rest: one line each.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
PY := .venv/bin/python

.PHONY: demo run test quick nightly check bench install tools programs fonts pictures lock

demo: install
	$(PY) app.py demo

run: install
	$(PY) app.py serve

# All on SQLite, then on PostgreSQL what has SQL of its own (tests/conftest.py).
# Compiled code is kept between tests that start many processes.
TEST := PYTHONDONTWRITEBYTECODE= $(PY) -m pytest -n auto --dist loadfile --no-loadscope-reorder
test: check
	$(TEST)
	$(TEST) --engine postgresql

# For every save: rules, properties, the code's own promises, an operation of each kind.
quick: tools
	$(TEST) tests/rules tests/properties tests/conventions tests/operations/http/test_every_operation.py tests/operations/http/test_every_request.py

# Every case of every test, on either engine.
nightly: check
	$(TEST) --nightly
	$(TEST) --nightly --engine postgresql --ignore tests/browser

check: tools programs
	$(PY) -m ruff check . && $(PY) -m ruff format --check . && $(PY) -m mypy

bench: tools wrk
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

# Debian's Chromium, nginx, Caddy, PostgreSQL and PgBouncer are tested with; where they cannot be had those tests are skipped with a reason.
# In runlevel 1 Debian starts nothing that it installs. PostgreSQL's programs are in a folder of their version.
programs: chromium-headless-shell nginx caddy postgresql pgbouncer

.PHONY: chromium-headless-shell nginx caddy postgresql pgbouncer wrk
chromium-headless-shell nginx caddy postgresql pgbouncer wrk:
	@PATH="$$PATH:/usr/sbin" command -v $@ >/dev/null || ls /usr/lib/$@/*/bin/initdb >/dev/null 2>&1 || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update && RUNLEVEL=1 apt-get install -y $@; } || echo "No $@ here: what needs it will be skipped."

# The fonts of the site, from their npm packages; they change only with these.
fonts: tools
	$(PY) templates/fonts.py

# The pictures of the README, from the sample world.
pictures: tools programs
	$(PY) -m manual.pictures.make

LOCK := $(PY) -m piptools compile --quiet --generate-hashes --no-header --strip-extras --allow-unsafe --no-emit-index-url --no-emit-find-links --no-emit-trusted-host
lock: tools
	$(LOCK) -o requirements.txt pyproject.toml
	$(LOCK) --extra cards -o requirements-cards.txt pyproject.toml
	$(LOCK) --extra dev --extra cards -o requirements-dev.txt pyproject.toml
	$(LOCK) --extra bench -o requirements-bench.txt pyproject.toml
