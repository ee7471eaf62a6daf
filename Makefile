# The front door. Every target first sees to .venv (setup); a second run finds the stamp file and does nothing.
# make itself answers every failure with exit code 2; .venv/bin/restartlab gives the finer ones (README).

SHELL := /bin/sh
.DEFAULT_GOAL := help
.NOTPARALLEL:
.SUFFIXES:

PY := .venv/bin/python
RESTARTLAB := .venv/bin/restartlab
# PYTHON=path chooses the interpreter of .venv; setup.sh looks for one of 3.11 to 3.13 by itself.
export PYTHON

# One stamp per set. Its name holds the digest of what was installed and where: a changed lock, or a copied .venv, is seen.
comma := ,
digest = $(shell { echo "$(CURDIR)"; cat $(1); } | { sha256sum 2>/dev/null || shasum -a 256; } | cut -c1-16)
CORE := .venv/.installed-core-$(call digest,requirements/core.txt pyproject.toml)
DEV := .venv/.installed-dev-$(call digest,requirements/dev.txt)
LOCAL := .venv/.installed-local-$(call digest,requirements/local.txt)
REPORT := .venv/.installed-report-$(call digest,requirements/report.txt)
SWEBENCH := .venv/.installed-swebench-$(call digest,requirements/swebench.txt)
needs_local := $(filter local,$(subst $(comma), ,$(RUNTIME)))

.PHONY: help setup collect test test-slow lint types check gate doctor status export protocols bench lock clean
.PHONY: replay audit report
.PHONY: docker-image docker-instance swebench
.PHONY: soak certificate-errors
.PHONY: need-stage local-weights remake

help: ## prints this list
	@echo "make TARGET [STAGE=horizon60] [RUNTIME=local] [WORKERS=2] [TASK=sympy-22714] [KILLS=200] [ARGS='...'] [PYTHON=python3.12]"
	@sed -n 's/^\([a-z][a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | awk -F '\t' '{ printf "  %-11s %s\n", $$1, $$2 }'

# An interpreter that is asked for, and is not the one of .venv, makes it anew.
ifneq ($(PYTHON),)
ifneq ($(shell requirements/setup.sh --fits && echo yes),yes)
$(CORE): remake
endif
endif

setup: $(CORE) ## makes .venv with the locked versions
	@echo "setup: .venv is ready ($$($(PY) --version))"

$(CORE):
	@requirements/setup.sh core
	@rm -f .venv/.installed-core-* && touch $@

$(DEV): $(CORE)
	@requirements/setup.sh dev
	@rm -f .venv/.installed-dev-* && touch $@

$(REPORT): $(CORE)
	@requirements/setup.sh report
	@rm -f .venv/.installed-report-* && touch $@

$(SWEBENCH): $(CORE)
	@requirements/setup.sh swebench
	@rm -f .venv/.installed-swebench-* && touch $@

$(LOCAL): $(CORE)
	@requirements/setup.sh local
	@rm -f .venv/.installed-local-* && touch $@

need-stage:
	@test -n "$(STAGE)" || { echo "make $(MAKECMDGOALS): which stage? e.g. make $(MAKECMDGOALS) STAGE=horizon60" \
		"(the list: make protocols)" >&2; exit 2; }

local-weights: $(LOCAL)
	@$(PY) -m harness.models.local_weights

collect: need-stage $(CORE) $(if $(needs_local),local-weights) ## collects STAGE= (RUNTIME=, WORKERS=, ARGS=); the same command resumes
	@$(RESTARTLAB) collect "$(STAGE)" $(if $(RUNTIME),--runtime "$(RUNTIME)") $(if $(WORKERS),--workers "$(WORKERS)") $(ARGS)

status: need-stage $(CORE) ## counts what STAGE= has collected
	@$(RESTARTLAB) status "$(STAGE)" $(ARGS)

export: need-stage $(CORE) ## writes the event table of STAGE=
	@$(RESTARTLAB) export "$(STAGE)" $(ARGS)

replay: need-stage $(CORE) ## says what restart schedules are worth on STAGE= (RUNTIME=, ARGS=)
	@$(RESTARTLAB) replay "$(STAGE)" $(if $(RUNTIME),--runtime "$(RUNTIME)") $(ARGS)

audit: need-stage $(CORE) ## says which decisions the evidence of STAGE= supports, by its plan (RUNTIME=, ARGS=)
	@$(RESTARTLAB) audit "$(STAGE)" $(if $(RUNTIME),--runtime "$(RUNTIME)") $(ARGS)

report: need-stage $(CORE) $(REPORT) ## writes the report of STAGE= into reports/STAGE (OUT=, ARGS=)
	@$(RESTARTLAB) report "$(STAGE)" -o "$(or $(OUT),reports/$(STAGE))" $(ARGS)

protocols: $(CORE) ## lists the stages: frozen, digest, drift
	@$(RESTARTLAB) protocols $(ARGS)

doctor: $(CORE) ## says what this machine lacks and how to mend it
	@$(RESTARTLAB) doctor $(ARGS)

docker-image: ## builds the image of the Docker sandbox from this Debian host (BUILD=registry: from a registry)
	@docker/build.sh "$(BUILD)"

swebench: $(SWEBENCH) ## installs the swebench package, for SWE-bench instances in Docker

docker-instance: $(SWEBENCH) ## builds the image of a SWE-bench instance (INSTANCE=, DATASET=file, REPOS=mirrors)
	@test -n "$(INSTANCE)" -a -n "$(DATASET)" -a -n "$(REPOS)" || { echo "make docker-instance: which one? e.g. make" \
		"docker-instance INSTANCE=sympy__sympy-22714 DATASET=verified.jsonl REPOS=repos" >&2; exit 2; }
	@$(PY) docker/instance.py "$(INSTANCE)" --dataset "$(DATASET)" --repos "$(REPOS)"

gate: $(CORE) ## qualifies the task packages (TASK= for some)
	@$(RESTARTLAB) gate $(TASK) $(ARGS)

test: $(DEV) ## runs the tests but the slow ones, two files at a time (TEST_WORKERS=; ARGS= for pytest)
	@$(PY) -m pytest -q -m "not slow" --benchmark-skip -n "$(or $(TEST_WORKERS),2)" --dist loadfile $(ARGS)

test-slow: $(DEV) ## runs the slow tests
	@$(PY) -m pytest -q -m slow --benchmark-skip $(ARGS)

bench: $(DEV) ## runs the benchmarks and renews their table in README.md
	@$(PY) -m pytest -q tests/bench --benchmark-only $(ARGS)
	@$(PY) tests/support/bench_table.py

soak: $(DEV) ## kills parts of collections KILLS= times (200; SEED=1) and compares what they come to
	@PYTHONUNBUFFERED=1 $(PY) tests/support/soak.py --kills "$(or $(KILLS),200)" --seed "$(or $(SEED),1)" $(ARGS)

certificate-errors: $(DEV) ## simulates checkpoint stages of known truth (STAGES=1000): does any certificate err too often?
	@$(PY) tests/support/certificate_errors.py --stages "$(or $(STAGES),1000)"

lint: $(DEV) ## ruff
	@$(PY) -m ruff check .

types: $(DEV) ## mypy
	@$(PY) -m mypy

check: lint types test ## all three

lock: $(CORE) ## writes the hash locks requirements/*.txt anew (UPGRADE=1: newest versions)
	@$(PY) -m pip install --quiet --disable-pip-version-check uv
	@UV=.venv/bin/uv UPGRADE="$(UPGRADE)" requirements/lock.sh $(ARGS)

clean: ## removes .venv and caches; what was collected (.restartlab) stays
	rm -rf .venv build dist *.egg-info .benchmarks .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find harness verifiers tasks analysis tests -name __pycache__ -type d -prune -exec rm -rf {} +
