# Every target sets up .venv by itself; `make` alone lists the targets.
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help api data demo test thorough lint check install-test test-device site notebooks seeds bench soak upstream clean

BIN := .venv/bin
READY := .venv/.ready
SITE_READY := .site/.ready
API := build/.api
KERNELS := build/.kernels
MADE := $(API) $(KERNELS)
SEEDS := $(or $(STRATAGEM_SEEDS),../shared)
# Which of the generated programs a run of the tests looks at: others every day.
export STRATAGEM_DIFFERENTIAL_SEED := $(or $(STRATAGEM_DIFFERENTIAL_SEED),$(shell date +%Y%m%d))

# The tests start hundreds of processes that import the same files: Python compiles those once.
unexport PYTHONDONTWRITEBYTECODE

export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_ROOT_USER_ACTION := ignore
export PIP_NO_INPUT := 1

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

api: $(MADE) ## make the public namespaces, their stubs and tables from the declarations, and the kernels (all targets do, if one has changed)

data: $(MADE) ## fetch Fashion-MNIST and some texts, unless they are here (32 MB from Debian)
	@$(BIN)/python scripts/fetch_data.py fashion-mnist fortunes

demo: data ## train a convolutional network on two replicas (about 3 minutes)
	@echo "demo: training on two virtual CPU replicas"
	@$(BIN)/python examples/fashion_mnist.py

# Two more than there are cores: tests of jobs wait, for a lost heartbeat say.
test: data ## run the test suite (AREA="data training": these folders of tests/; AREA=_data: a building's; CHANGED=1: of what git says)
	@echo "test: running the test suite (STRATAGEM_DIFFERENTIAL_SEED=$(STRATAGEM_DIFFERENTIAL_SEED) for the same generated programs)"
	@tests="$$($(BIN)/python scripts/areas.py $(strip $(AREA) $(addprefix --changed ,$(CHANGED))))" && \
		$(BIN)/python -m pytest -q -n $$(($$(nproc) + 2)) --dist loadfile --no-loadscope-reorder $$tests

# Without the conftest above that folder, which makes eight virtual CPU devices: JAX_PLATFORMS says on what, else JAX does.
test-device: $(MADE) ## run the tests that make sense on one device, on the accelerator if JAX finds one
	@echo "test-device: running tests/device"
	@$(BIN)/python -m pytest -q --confcutdir=tests/device tests/device

# Empty XLA_FLAGS: of programs that XLA compiles as it does for users (tests/conftest.py).
thorough: data ## run the tests that `make test` leaves out: more instances of the same
	@echo "thorough: running the rest of the test suite"
	@XLA_FLAGS= $(BIN)/python -m pytest -q -n auto --dist loadfile --no-loadscope-reorder -m thorough

lint: $(API) ## formatting, common mistakes, types
	@echo "lint: ruff and mypy"
	@$(BIN)/ruff check --quiet
	@$(BIN)/ruff format --check --quiet
	@$(BIN)/mypy

check: lint ## lint, layers, exported names: what is quick to run before each commit
	@$(BIN)/python -m pytest -q tests/test_layers.py tests/test_exports.py

install-test: data ## install the wheel with each extra into an empty environment, and use it there (about 2 minutes)
	@$(BIN)/python scripts/install_test.py

# Its tools have an environment of their own, .site: nothing that they require meets what the tests require.
# Not --quiet: what mkdocs does not say it does not count either, so that nothing would fail the build.
site: $(SITE_READY) $(MADE) ## build the documentation site into build/site, strictly, and check its links (a minute)
	@echo "site: building build/site"
	@NO_MKDOCS_2_WARNING=1 .site/bin/mkdocs build
	@.site/bin/python scripts/site_links.py build/site

notebooks: $(SITE_READY) $(MADE) ## run the tutorials and keep what they print and draw (NOTEBOOKS=docs/tutorials/x.ipynb: only these)
	@.site/bin/python scripts/fetch_data.py fashion-mnist
	@.site/bin/python scripts/notebooks.py $(NOTEBOOKS)

seeds: $(MADE) ## run the documents' programs whole (tens of minutes; STRATAGEM_SEEDS names their folder)
	@$(BIN)/python scripts/fetch_data.py fashion-mnist mnist
	@echo "seeds: running the documents' programs from $(SEEDS)"
	@$(BIN)/python scripts/seeds.py --documents "$(SEEDS)"
	@$(BIN)/python scripts/seeds_workers.py --documents "$(SEEDS)"
	@$(BIN)/python scripts/seeds_migration.py --documents "$(SEEDS)"

# Peers have environments of their own in .peers. The chart shows the newest figure of every comparison.
bench: $(MADE) ## run every benchmark against TensorFlow, PyTorch and Orbax, and draw their ratios (an hour)
	@$(BIN)/python benchmarks/parts/peers.py
	@set -e; for program in $(filter-out benchmarks/chart.py,$(wildcard benchmarks/*.py)); do \
		echo "bench: $$program"; $(BIN)/python "$$program"; \
	done
	@$(BIN)/python benchmarks/chart.py

soak: $(MADE) ## run every fault scenario as often as docs/reliability.md says (tens of minutes)
	@$(BIN)/python scripts/soak.py

upstream: $(MADE) ## run Keras' tests of its layers, and JAX's from the folder JAX_TESTS, alone and with the library
	@$(BIN)/python scripts/upstream.py $(if $(JAX_TESTS),--jax "$(JAX_TESTS)")

clean: ## remove .venv, .peers, .site, build and the tools' caches
	rm -rf .venv .peers .site build .cache .pytest_cache .mypy_cache .ruff_cache

# Of the declarations, and of what stubs and tables tell of the names.
DECLARATIONS := $(shell find src/stratagem/_* api scripts tests/ops -name '*.py' -not -name _names.py -o -name '*.pyi') \
	docs/tensor_functions.md scripts/tensorflow_api.json.gz

$(API): $(READY) $(DECLARATIONS)
	@echo "api: making the public namespaces"
	@$(BIN)/python scripts/api.py
	@mkdir -p $(@D)
	@touch $@

$(KERNELS): $(READY) scripts/native.py $(wildcard native/*)
	@echo "native: building the library of kernels"
	@$(BIN)/python scripts/native.py
	@mkdir -p $(@D)
	@touch $@

# The stamp is written last, so a set-up that was interrupted is done again.
$(READY): pyproject.toml hatch_build.py scripts/setup.sh
	@sh scripts/setup.sh
	@touch $@

$(SITE_READY): pyproject.toml scripts/setup.sh
	@sh scripts/setup.sh .site docs,cluster,examples
	@touch $@
