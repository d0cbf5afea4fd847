# race · race-full · test · check · generate · bench · fuzz · mutation · conformance · wheel: each sets up what it needs.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
# Make closes its job server to a program that it does not know as a make.
ALONE  := env --unset=MAKEFLAGS --unset=MFLAGS
RUST   := $(shell find crates -name '*.rs' -o -name Cargo.toml) Cargo.toml Cargo.lock

.PHONY: race race-clients race-full setup packages test test-rust check generate bench \
  fuzz mutation conformance wheel clean
.DEFAULT_GOAL := race

# The libraries are downloaded and built while the engine is: one core alone links it.
race:
	@[ -x $(BIN)/autostrada-engine ] && ls .build/*/*/receipt.json >/dev/null 2>&1 || echo "$(FIRST_RACE)"
	@$(MAKE) --silent --no-print-directory --jobs=2 $(BIN)/autostrada-engine race-clients
	@$(BIN)/autostrada run race --quick

FIRST_RACE := downloading and building the engine, a Python environment and one or two client libraries of each \
  language: about 7 minutes on two cores, once; calibration and race: about 2 minutes

race-full: setup
	@$(BIN)/autostrada run race

# The engine is compiled while Python packages are downloaded.
setup:
	@$(MAKE) --silent --no-print-directory --jobs=2 $(BIN)/autostrada-engine

# Where a build fails, the race has a row that says so.
race-clients: $(BIN)/autostrada
	@$(BIN)/autostrada build --experiment race --quick; [ $$? -le 1 ]

# make test PACKAGES=1 installs the system's packages that contestants need, which takes root.
packages: $(BIN)/autostrada
	@$(BIN)/autostrada doctor --install; [ $$? -le 1 ]

# More processes than cores, as many tests wait for a timeout or for a second to pass, and builds for downloads.
WORKERS = $$((2 * $$(nproc)))

# One contestant of each language; with ALL=1 all of them, and hosts of a Ray cluster. What a contestant has passed
# before is left out until it, its kit, the suite or the engine changes.
test:
	@$(MAKE) --no-print-directory --jobs=3 $(BIN)/autostrada-engine $(VENV)/installed-dev test-rust
	$(if $(PACKAGES),@$(MAKE) --no-print-directory packages)
	$(BIN)/python -m pytest --ignore=tests/contract --ignore=tests/calibration --ignore=tests/hosts \
	  --numprocesses=$(WORKERS) --dist=loadfile --no-loadscope-reorder
	$(BIN)/python -m pytest tests/calibration $(if $(ALL),tests/hosts)
	$(BIN)/autostrada build --jobs $(WORKERS) $(TESTED)
	$(if $(ALL),,AUTOSTRADA_CONTESTANTS="$$(echo $(TESTED) | tr ' ' ,)") \
	  $(BIN)/python -m pytest tests/contract --only-changed --numprocesses=$(WORKERS) --dist=loadgroup

TESTED = $(if $(ALL),,$$($(BIN)/python -m tools.one_of_each))

# Rust's tests need no Python, so that they run while the engine is linked, on one core.
test-rust:
	$(ALONE) cargo test --quiet --workspace -- --test-threads=$$((4 * $$(nproc)))
	$(ALONE) cargo test --quiet --locked $(FUZZ)

# The fuzz targets without libFuzzer; what they depend on is compiled once for them and for the workspace.
FUZZ = --manifest-path fuzz/Cargo.toml --target-dir target --no-default-features

check: $(BIN)/autostrada $(VENV)/installed-dev
	rustfmt --check --edition 2024 $$(git ls-files --cached --others --exclude-standard '*.rs')
	$(ALONE) cargo clippy --quiet --workspace --all-targets -- --deny warnings
	$(ALONE) cargo clippy --quiet --locked $(FUZZ) --all-targets -- --deny warnings
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/lint-imports
	cd site && npm ci --silent --no-audit --no-fund && npm run --silent check

# What follows from the engine's types: Python's models, the tables of the docs; and the types of pages in TypeScript.
generate: $(VENV)/installed-dev
	@mkdir -p .build
	@$(ALONE) cargo run --quiet --package autostrada-engine -- schema > .build/schema.json
	@$(BIN)/python -m tools.generate < .build/schema.json

bench: setup $(VENV)/installed-dev
	@$(ALONE) cargo build --quiet --release --locked --package autostrada-benches
	@PYTHONPATH=benches $(BIN)/python -m compare $(if $(PEERS),--peers $(PEERS)) $(BENCH)

mutation: setup $(VENV)/installed-dev
	@$(BIN)/python tests/calibration/mutate.py

conformance: setup $(VENV)/installed-dev
	@$(BIN)/python -m pytest tests/conformance --all-groups

# How long each target is searched; fuzz/README.md says what else there is.
SECONDS := 60
fuzz:
	@fuzz/run.sh $(SECONDS) '$(TARGET)' '$(INPUT)'

# A wheel with the engine inside, in .build/dist. Zig links the engine against the symbols of an old glibc, so that it
# runs on any Linux of this architecture with glibc 2.17 or newer.
MACHINE := $(shell uname -m)
ZIG     := .build/zig
wheel: $(VENV)/installed
	@[ -x $(ZIG)/bin/cargo-zigbuild ] || { $(PYTHON) -m venv --clear $(ZIG) && \
	  $(ZIG)/bin/python -m pip install --quiet --disable-pip-version-check cargo-zigbuild==0.24.1 ziglang==0.17.1; }
	@PATH="$$PWD/$(ZIG)/bin:$$PATH" $(ALONE) cargo zigbuild --quiet --release --locked --package autostrada-engine \
	  --target $(MACHINE)-unknown-linux-gnu.2.17
	@AUTOSTRADA_ENGINE=target/$(MACHINE)-unknown-linux-gnu/release/autostrada-engine \
	  AUTOSTRADA_PLATFORM=manylinux_2_17_$(MACHINE) $(BIN)/python -m hatchling build --target wheel --directory .build/dist

clean:
	rm -rf $(VENV) .build target fuzz/target

# The virtual environment, with exactly the versions of the lock file.
$(VENV)/installed: requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
	  { echo "Python 3.11 or newer is missing: apt install python3 python3-venv (or: make PYTHON=/path/to/python3)"; exit 1; }
	@$(PYTHON) -m venv --clear $(VENV) || \
	  { echo "Python's venv module is missing: apt install python3-venv"; exit 1; }
	@echo "installing Python packages"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --require-hashes -r requirements.lock
	@touch $@

# What tests, checks and benchmarks need besides.
$(VENV)/installed-dev: $(VENV)/installed requirements-dev.lock
	@echo "installing Python packages of the tests"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --no-deps --require-hashes \
	  -r requirements-dev.lock
	@touch $@

# The command line, as it stands in src/; its version is that of the Cargo workspace.
$(BIN)/autostrada: $(VENV)/installed pyproject.toml Cargo.toml
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --no-index --editable .
	@touch $@

# The engine, beside it.
$(BIN)/autostrada-engine: $(BIN)/autostrada target/release/autostrada-engine
	@install target/release/autostrada-engine $@

target/release/autostrada-engine: $(RUST)
	@command -v cargo >/dev/null || \
	  { echo "cargo is missing: curl https://sh.rustup.rs -sSf | sh"; exit 1; }
	@echo "building the engine"
	@$(ALONE) cargo build --quiet --release --locked --package autostrada-engine
	@touch $@
