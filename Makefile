PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
LIBRARIES := .venv-libraries
LIBRARIES_STAMP := $(LIBRARIES)/.installed
DOCS := .venv-docs
DOCS_STAMP := $(DOCS)/.installed
NOTEBOOKS ?= force
LOWEST_Z3 := $(shell sed -n 's/.*"z3-solver>=\(.*\)".*/\1/p' pyproject.toml)
GET_LIBRARIES = $(LIBRARIES)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --retries 5 --requirement constraints-libraries.txt
HOUSE := $(addprefix tests/unit/test_,layout.py docs.py glossary.py site.py gallery.py requirements.py mechanisms_house_rules.py) \
	tests/unit/checker/test_file.py tests/end_to_end/test_readme.py::test_verdicts_are_what_the_audits_declare
TRACED := dpaudit/trace tests/unit/trace tests/property/test_trace.py tests/power/test_glue_bugs.py tests/wild/test_causes.py \
	$(addprefix tests/unit/test_,observed.py session.py always_raises.py after_verdict.py)
TESTED = $(BIN)/python -m pytest -q -n 3 --dist worksteal --assert=plain
SHOWN = DPAUDIT_SWEEPS= $(BIN)/python -m pytest -q --maxfail 20 --last-failed --last-failed-no-failures none
EXTRAS := plot,pandas,polars,strategies,accounting,dev

# Two processes share two cores; threads of BLAS in each would spin while they wait for the others.
export OMP_NUM_THREADS := 1
export OPENBLAS_NUM_THREADS := 1

.DEFAULT_GOAL := help
.PHONY: help compiled audit audit-full libraries audit-libraries quick house test test-full durations test-lowest lint format bench readme unproved caught constructs gallery docs clean

help: ## Say what each target does
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /make \1\t/' | expand -t 24

# Rebuilt when what it is built from changed; a venv of another Python is made anew.
$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "dpaudit needs Python 3.11 or later, $(PYTHON) is " + sys.version.split()[0])'
	@$(BIN)/python -c 'import sys' 2>/dev/null || $(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[$(EXTRAS)]'
	@touch $@

# The libraries pin what .venv has newer: they lie over it, in an environment of their own.
$(LIBRARIES_STAMP): $(STAMP) constraints-libraries.txt
	@$(LIBRARIES)/bin/python -c 'import sys' 2>/dev/null || $(BIN)/python -m venv --clear $(LIBRARIES)
	$(GET_LIBRARIES) || $(GET_LIBRARIES)
	$(LIBRARIES)/bin/python -m tools.overlay $(BIN)/python
	@touch $@

# Sphinx and what it needs lie over .venv, which stays without them.
$(DOCS_STAMP): $(STAMP)
	@$(DOCS)/bin/python -c 'import sys' 2>/dev/null || $(BIN)/python -m venv --clear $(DOCS)
	$(DOCS)/bin/python -m tools.overlay $(BIN)/python
	$(DOCS)/bin/python -m pip install --quiet --disable-pip-version-check --retries 5 --constraint constraints.txt --editable '.[docs]'
	@touch $@

# Commands, audits and tests start hundreds of processes. Each reads what is compiled here, also where
# the environment keeps Python from writing it (PYTHONDONTWRITEBYTECODE).
compiled: $(STAMP)
	@$(BIN)/python -m compileall -q audits dpaudit mechanisms tests tools

# An audit waits for its worker a third of its time: three jobs share two cores.
audit: compiled ## Audit every mechanism in audits/, by proof and by running it
	$(BIN)/dpaudit run audits --jobs 3

audit-full: compiled ## The same with 1,000,000 calls an audit
	$(BIN)/dpaudit run audits --jobs 3 --max-calls 1000000

libraries: $(LIBRARIES_STAMP) ## Install the libraries that audit-libraries audits

audit-libraries: $(LIBRARIES_STAMP) ## Audit other libraries, in an environment of their own
	DPAUDIT_SWEEPS=turn $(LIBRARIES)/bin/python -m pytest -q -n 2 --dist worksteal tests/unit/trace/test_adapters_diffprivlib.py tests/unit/trace/test_adapters_opendp.py tests/unit/trace/test_adapters_jax.py tests/end_to_end/test_one_run_of_jax_privacy.py tests/unit/test_claims_libraries.py
	DPAUDIT_OLD_NUMPY=yes $(LIBRARIES)/bin/python -m pytest -q tests/end_to_end/test_remote_of_old_numpy.py
	$(LIBRARIES)/bin/python -m dpaudit run audits/libraries --jobs 2 --scripts build/witnesses

quick: compiled ## Run the tests nearest to what changed, in less than 3 minutes of processor time
	$(BIN)/python -m tools.quick

house: compiled ## Run the rules of the house: layers, texts, generated pages; in less than a minute
	$(BIN)/python -m pytest -q $(HOUSE) --deselect tests/unit/test_docs.py::test_snippet_of_the_documents_runs

# Interception looks through all objects of a process: its tests run where few others were collected.
# Three workers share two cores, as many tests wait for commands that they start. Asserts stay as they
# are compiled, since rewriting them takes each worker longer than all else of the collection; what
# fails is run again with them rewritten, which shows the values.
test: export DPAUDIT_SWEEPS = turn
test: compiled ## Run the tests; of parametrized and costly tests one of five cases, in turns
	$(TESTED) $(TRACED) || { $(SHOWN); exit 1; }
	$(TESTED) $(addprefix --ignore=,$(TRACED)) || { $(SHOWN); exit 1; }

test-full: export DPAUDIT_SWEEPS = full
test-full: compiled ## Run all cases of all tests
	$(BIN)/python -m pytest -q -n 2 --dist worksteal $(TRACED)
	$(BIN)/python -m pytest -q -n 2 --dist worksteal $(addprefix --ignore=,$(TRACED))

durations: compiled ## Run the tests and record what each takes, for make quick
	$(BIN)/python -m pytest -q -n 2 --dist worksteal -p tools.durations $(TRACED)
	$(BIN)/python -m pytest -q -n 2 --dist worksteal -p tools.durations $(addprefix --ignore=,$(TRACED))

# What reasons differs most from release to release is the solver.
test-lowest: compiled ## Run the formal engine's truths with the oldest z3 that is supported
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --upgrade --target build/lowest 'z3-solver==$(LOWEST_Z3)'
	PYTHONPATH=build/lowest $(BIN)/python -c 'import z3; assert (z3.get_version_string() + ".").startswith("$(LOWEST_Z3)."), z3.get_version_string()'
	DPAUDIT_SWEEPS=full PYTHONPATH=build/lowest $(BIN)/python -m pytest -q -n 2 --dist worksteal tests/golden/test_derivations.py tests/unit/checker/test_obligations.py
	PYTHONPATH=build/lowest $(BIN)/python -m pytest -q -n 2 --dist worksteal tests/golden/test_checkdp_programs.py -k sound_programs_are_proved_for_all

lint: $(STAMP) ## Check style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(STAMP) ## Put the code in its style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: compiled ## Measure sample counts, speed and memory
	@for file in benchmarks/bench_*.py; do echo "== $$file"; $(BIN)/python "$$file" || exit 1; done

readme: compiled ## Write the picture of README.md and the generated tables in docs/ anew
	$(BIN)/python -m tools.terminal_picture
	$(BIN)/python -m tools.reference_pages
	$(BIN)/python -m tools.verdict_table
	$(BIN)/python -m tools.static_table

unproved: compiled ## Write audits/NOT_PROVED.md anew: what is not proved, and why
	$(BIN)/python -m tools.unproved_table

caught: compiled ## Write docs/verdicts.md anew: what an audit of each sound mechanism would have caught
	$(BIN)/python -m tools.caught_table

constructs: compiled ## Write docs/constructs.md anew: what each engine says of constructs of public code
	$(BIN)/python -m tools.constructs_table

gallery: compiled ## Write docs/mechanisms.md and its figures anew, from the files and an audit
	$(BIN)/python -m tools.plots
	mkdir -p build
	$(BIN)/dpaudit run audits --jobs 2 --json build/audits.json
	$(BIN)/python -m tools.gallery build/audits.json

docs: $(DOCS_STAMP) ## Build the site of the documentation in build/site/html; NOTEBOOKS=off leaves them without outputs
	NOTEBOOKS=$(NOTEBOOKS) $(DOCS)/bin/python -m tools.site

clean: ## Remove what the other targets made
	rm -rf $(VENV) $(LIBRARIES) $(DOCS) build dist .hypothesis .mypy_cache .pytest_cache .ruff_cache
