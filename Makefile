# Every target sets itself up: Python 3.11 or later, make and git are enough.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
OUT ?= .
SEED := $(or $(SEED),$(shell date +%s))
STAMP := $(VENV)/.installed
TABLE := $(VENV)/.installed-table
DEV := $(VENV)/.installed-dev
# What builds the site, beside $(VENV), whose packages and code it sees behind its own.
DOCS := $(VENV)-docs/.installed
SITE ?= build/docs
PYTEST := $(BIN)/pytest -n logical --dist worksteal
# Distributions of their own: installed, typed and tested with the rest.
PACKAGES := clients/python clients/harness clients/table
# A game of its own package, which its test alone installs.
FOURTH := tests/fourth_game
PYTHON_OUT = --plugin=protoc-gen-mypy_grpc=$(BIN)/protoc-gen-mypy_grpc \
  --python_out=$(1) --pyi_out=$(1) --grpc_python_out=$(1) --mypy_grpc_out=$(1)

# Kept compiled modules are what makes the start of a process cheap, and tests and the demo start many.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo table test test-all test-rest test-new-seeds test-order release-check check bench soak chaos fuzz mutants protos docs format constraints lock dist audit-deps clean findings

demo: $(STAMP) ## play rounds through real services on loopback, then audit the log they left
	$(BIN)/referee demo

table: $(TABLE) ## a card table in the browser, on 127.0.0.1:8800; OPTIONS="--listen 127.0.0.1:9000" for another port
	$(BIN)/referee-table $(OPTIONS)

test: $(DEV) ## every room, on all cores; says what it leaves out, and why
	$(PYTEST) -m "not slow and not exhaustive"

test-all: $(DEV) ## all tests: crash sweeps, browsers, builds and counts over whole spaces too
	$(PYTEST) --timeout 2700

test-rest: $(DEV) ## what test leaves out, one by one to whichever worker is free: each is long
	$(PYTEST) --dist load --maxschedchunk 1 --timeout 2700 --durations 25 --durations-min 30 -m "slow or exhaustive"

test-new-seeds: $(DEV) ## test with other seeds of its random tests: SEED=7, or one from the clock
	TEST_SEED=$(SEED) $(PYTEST) --hypothesis-seed=$(SEED) -m "not slow and not exhaustive"

test-order: $(DEV) ## test with its files in reversed order, then each file in a process of its own
	TEST_ORDER=reversed $(PYTEST) -m "not slow and not exhaustive"
	for file in $$(git ls-files 'tests/**/test_*.py'); do \
	  $(BIN)/pytest -q -n 0 -m "not slow and not exhaustive" $$file || [ $$? = 5 ] || exit 1; \
	done

release-check: $(DEV) ## what runs on samples or not at all until a release: whole, with four times the examples
	TEST_SIZE=whole $(PYTEST) --dist load --maxschedchunk 1 --timeout 7200 --durations 25 --durations-min 30 \
	  -m "smaller or whole or not slow and not exhaustive"

check: $(DEV) ## what must hold before a commit, beside the tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/mypy $(PACKAGES:%=%/src)
	cd $(FOURTH)/src && ../../../$(BIN)/mypy --config-file ../../../pyproject.toml --package bai_cao
	$(BIN)/lint-imports
	git ls-files -z | xargs -0 $(BIN)/codespell
	cd protos && ../$(BIN)/buf lint && ../$(BIN)/buf format -d --exit-code
	$(BIN)/python protos/breaking.py
	$(BIN)/buf lint --path $(FOURTH)/protos/bai_cao --config \
	  '{"version":"v2","modules":[{"path":"protos"},{"path":"$(FOURTH)/protos"}],"lint":{"use":["STANDARD","COMMENTS"]}}'
	$(BIN)/buf format -d --exit-code $(FOURTH)/protos

findings: $(DEV) ## the list of what an audit must catch, and what catches each of it
	$(BIN)/python -m tests.audit.findings_table

chaos: $(DEV) ## faults under load: about ten minutes, or CHAOS_SECONDS; writes tests/chaos/REPORT.md; FAULTS="disk or clock" runs some
	CHAOS_SECONDS=$(or $(CHAOS_SECONDS),600) TEST_SEED=$(SEED) FAULTS="$(FAULTS)" $(BIN)/pytest -n 0 -v -m "" --timeout 7200 \
	  --hypothesis-seed=$(SEED) --log-cli-level INFO tests/chaos/test_chaos_faults.py $(if $(FAULTS),-k "$(FAULTS)",\
	  tests/chaos/test_chaos_messages.py::test_malformed_messages_are_answered_or_refused_with_a_reason)

fuzz: $(DEV) ## the audit against the verifier in TypeScript on EXAMPLES=10000 edited logs; SEED=7 draws the same again
	FUZZ_EXAMPLES=$(or $(EXAMPLES),10000) $(BIN)/pytest -n 0 --hypothesis-seed=$(SEED) tests/fuzz -k edited

bench: $(DEV) ## what calls and whole rounds cost beside a plain echo, in two minutes; `python -m tests.bench all` measures the rest too
	$(BIN)/python -m tests.bench

soak: $(DEV) ## an hour at half load, or SECONDS: whether a server's memory stays flat
	$(BIN)/python -W ignore -m tests.bench.soak --seconds $(or $(SECONDS),3600)

mutants: $(DEV) ## whether tests catch changes of the code: ROOM=transcript, or all rooms; goes on where it was stopped
	test -d $(VENV)-mutants || $(PYTHON) -m venv $(VENV)-mutants
	$(VENV)-mutants/bin/pip install --quiet --disable-pip-version-check --constraint constraints.txt \
	  ./tests/mutation
	$(BIN)/python -c "import site; print(f'import site; site.addsitedir({site.getsitepackages()[0]!r})')" \
	  > $$($(VENV)-mutants/bin/python -c "import site; print(site.getsitepackages()[0])")/tests.pth
	$(VENV)-mutants/bin/python -m tests.mutation $(ROOM)

protos: $(DEV) ## generated code, the API's manual and the service config, committed; OUT=folder writes elsewhere
	mkdir -p $(OUT)/referee/v1 $(OUT)/$(FOURTH)/src
	$(BIN)/python -m grpc_tools.protoc -Iprotos $(call PYTHON_OUT,$(OUT)) protos/referee/v1/*.proto
	$(BIN)/python -m grpc_tools.protoc -Iprotos -I$(FOURTH)/protos $(call PYTHON_OUT,$(OUT)/$(FOURTH)/src) \
	  $(FOURTH)/protos/bai_cao/v1/*.proto
	$(if $(filter .,$(OUT)),$(BIN)/referee games protos --folder $(FOURTH))
	$(BIN)/python protos/reference.py $(if $(filter .,$(OUT)),protos,$(OUT))
	$(BIN)/python protos/service_config.py $(OUT)/referee/v1/service_config.json

docs: $(DEV) $(DOCS) ## the site of all pages and references in build/docs/html; SITE=folder writes elsewhere; warnings are errors
	$(BIN)/python .docs/build.py $(SITE)

$(DOCS): .docs/requirements.txt | $(DEV)
	$(PYTHON) -m venv --clear $(VENV)-docs
	$(VENV)-docs/bin/pip install --quiet --disable-pip-version-check --requirement .docs/requirements.txt
	$(BIN)/python -c "import site; print(f'import site; site.addsitedir({site.getsitepackages()[0]!r})')" \
	  > $$($(VENV)-docs/bin/python -c "import site; print(site.getsitepackages()[0])")/referee.pth
	touch $@

format: $(DEV)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	cd protos && ../$(BIN)/buf format -w

constraints: ## the newest releases that pyproject.toml lets in, written to constraints.txt
	$(PYTHON) -m venv --clear $(VENV)-constraints
	$(VENV)-constraints/bin/pip install --quiet --disable-pip-version-check --editable ".[dev]" \
	  $(PACKAGES:%=--editable ./%)
	(head -1 constraints.txt; $(VENV)-constraints/bin/pip freeze --exclude-editable) > constraints.new
	mv constraints.new constraints.txt
	rm -rf $(VENV)-constraints

lock: ## what an operator installs, with the hashes of all files: pip install --require-hashes -r requirements.lock
	$(PYTHON) -m venv --clear $(VENV)-lock
	$(VENV)-lock/bin/pip install --quiet --disable-pip-version-check uv
	(echo "# What an operator installs: pip install --require-hashes -r requirements.lock. Renew it with: make lock"; \
	  $(VENV)-lock/bin/uv pip compile pyproject.toml --extra server --extra http --extra postgres --extra otel --extra oidc --extra web \
	  --constraint constraints.txt --generate-hashes --universal --python-version 3.11 --no-header --no-annotate --quiet) \
	  > requirements.new
	mv requirements.new requirements.lock
	rm -rf $(VENV)-lock

dist: $(DEV) ## what a release uploads: wheels, sdists and npm packages, in dist; refuses what may not be released yet
	$(BIN)/python -m tests.packages.release
	for folder in . $(PACKAGES); do (cd $$folder && $(abspath $(BIN))/python -m hatchling build -d $(abspath dist)) || exit 1; done
	for folder in clients/verifier clients/typescript; do (cd $$folder && npm ci --no-audit --no-fund && \
	  BUF=$(abspath $(BIN))/buf npm pack --pack-destination $(abspath dist)) || exit 1; done

audit-deps: $(DEV) ## what is installed, held against its pins, hashes, licences and known vulnerabilities
	$(BIN)/pip check
	$(PYTHON) -m venv --clear $(VENV)-audit
	$(BIN)/python -m tests.dependencies.audit
	$(BIN)/pip-licenses --summary
	-$(VENV)-audit/bin/pip install --quiet --disable-pip-version-check pip-audit
	if $(VENV)-audit/bin/pip-audit --strict --no-deps --disable-pip --requirement constraints.txt \
	  --format markdown --output $(VENV)-audit/found; then :; \
	elif [ -s $(VENV)-audit/found ]; then cat $(VENV)-audit/found; exit 1; \
	else echo "NOT ASKED: known vulnerabilities, whose database was not reached"; fi
	rm -rf $(VENV)-audit

$(STAMP): pyproject.toml constraints.txt clients/python/pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable ".[demo]" \
	  --editable ./clients/python
	touch $@

$(TABLE): $(STAMP) clients/table/pyproject.toml
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable ".[web]" \
	  --editable ./clients/python --editable ./clients/table
	touch $@

$(DEV): $(STAMP) $(PACKAGES:%=%/pyproject.toml)
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable ".[dev]" \
	  $(PACKAGES:%=--editable ./%)
	touch $@

clean:
	rm -rf $(VENV)
