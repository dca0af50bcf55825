# Everything one does with this repository. It needs Node 20 or newer, npm and make; the rest is installed,
# Node 24 included, and the control planes of the tests are downloaded or built with Go (hack/README.md).

.DEFAULT_GOAL := help
.PHONY: help install build generate lint typecheck test test-all test-unit test-integration test-faults mutation coverage control-planes cluster node demo runtime record-objects record-stored-state record-gardener-api render-compositions bench xpkg image release e2e clean

# The pinned Node runs all code of this repository, whatever Node is on PATH; npm finds it for its scripts.
NODE := node_modules/.bin/node

IMAGE ?= provider-kyma-runtime:local
PLATFORM ?= linux/amd64

# Not `npm ci`: it insists on the optional packages of every platform, which not every registry has.
NPM_INSTALL := npm install --no-save --no-audit --no-fund --loglevel=error

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-17s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

install: node_modules/.installed hack/codegen/node_modules/.installed hack/service-libraries/node_modules/.installed ## install what package-lock.json names, if it changed

node_modules/.installed: package.json package-lock.json
	$(NPM_INSTALL)
	@$(NODE) --version >/dev/null || { echo 'npm left no Node 24: are install scripts forbidden (ignore-scripts)?' >&2; exit 1; }
	@touch $@

hack/mutation/node_modules/.installed: hack/mutation/package.json hack/mutation/package-lock.json
	$(NPM_INSTALL) --prefix hack/mutation
	@touch $@

hack/codegen/node_modules/.installed: hack/codegen/package.json hack/codegen/package-lock.json
	$(NPM_INSTALL) --prefix hack/codegen
	@touch $@

hack/service-libraries/node_modules/.installed: hack/service-libraries/package.json hack/service-libraries/package-lock.json
	$(NPM_INSTALL) --prefix hack/service-libraries
	@touch $@

build: install ## bundle into dist/provider-kyma.mjs, which bin/provider-kyma starts; the framework into dist/lib
	npm run --silent build

generate: install ## write CRDs, types and reference pages from their sources
	npm run --silent generate

lint: install ## run the linter and the checks of imports and machine traces
	npm run --silent lint

typecheck: install ## check types, those of the code generator too
	npm run --silent typecheck

test: ## run every check and the tests but their long forms; the last line is `N passed, N failed`
	@$(MAKE) --no-print-directory install || { echo '0 passed, 1 failed'; exit 1; }
	@$(NODE) hack/test.ts

test-all: ## the same with the long forms and in containers, as by night and before a release
	@$(MAKE) --no-print-directory install || { echo '0 passed, 1 failed'; exit 1; }
	@$(NODE) hack/test.ts --all

test-unit: install ## run unit tests; ARGS='internal/framework/kube -t name' picks some
	@npm run --silent test:unit -- $(ARGS)

test-integration: install ## run integration tests on real control planes; ARGS as above
	@npm run --silent test:integration -- $(ARGS)

test-faults: build ## run long campaigns of random faults, with seeds printed; ARGS='--only model --seed 1 --runs 50'
	@$(NODE) hack/faults/main.ts $(ARGS)

mutation: install hack/mutation/node_modules/.installed ## measure the unit tests by mutations, for an hour or more; ARGS='--only queue' a group
	@$(NODE) hack/mutation/main.ts $(ARGS)

coverage: install ## measure which lines the unit tests run, into coverage; ARGS=internal/framework/kube a part
	@npm run --silent coverage -- $(ARGS)

control-planes: install ## make the binaries of the control planes and of Gardener available and print their folder
	@npm run --silent control-planes

cluster: install ## run one control plane to try things on, until Ctrl-C, and print its KUBECONFIG
	@$(NODE) hack/control-planes/run.ts

node: install ## run one node without Docker to try pods on, until Ctrl-C, and print its KUBECONFIG; root on Linux
	@$(NODE) hack/node/run.ts

runtime: install build ## make a Runtime Ready with a simulated Gardener, until Ctrl-C; ONCE=1 ends then
	@ONCE='$(ONCE)' $(NODE) hack/runtime/main.ts

demo: install build ## show the provider at work on two control planes; ONCE=1 ends when all steps are shown
	@ONCE='$(ONCE)' $(NODE) hack/demo/main.ts

render-compositions: install ## render examples/composition anew, by their functions; TOOLS=folder instead of Docker
	@$(NODE) hack/compositions/main.ts $(TOOLS:%=--tools=%)
	@RECORD=1 npm run --silent test:integration -- test/integration/examples/compositions test/integration/chain
	@$(NODE) hack/compositions/main.ts $(TOOLS:%=--tools=%)

record-objects: install ## take the objects anew that the tests of Argo CD's and Flux's health checks read
	@RECORD=1 npm run --silent test:integration -- test/integration/examples/gitops

record-stored-state: install ## record what this version stores, for the upgrade tests of all later ones
	@RECORD=1 npm run --silent test:integration -- test/integration/upgrade/stored-state

record-gardener-api: install ## record the API of Gardener that types and CRDs are generated from; `make generate` after it
	@$(NODE) hack/control-planes/gardener/record-api/main.ts

bench: install ## measure the provider beside a plain program, into docs/performance.md; ARGS='--only creation' a part
	@npm run --silent bench -- $(ARGS)

xpkg: install ## build the Crossplane package; RUNTIME_IMAGES or BASE_IMAGES='a.tar b.tar' embed what its pod runs
	@$(NODE) hack/build.ts --sbom $(REVISION:%=--revision=%)
	@$(NODE) hack/xpkg/main.ts $(RUNTIME_IMAGES:%=--runtime-image=%) $(BASE_IMAGES:%=--base-image=%) \
		$(SOURCE:%=--source=%) $(REVISION:%=--revision=%) $(ARGS)

image: build ## build the runtime image with Docker; IMAGE, PLATFORM and NODE_IMAGE say which
	docker build --file package/Dockerfile --platform $(PLATFORM) --tag $(IMAGE) $(NODE_IMAGE:%=--build-arg NODE_IMAGE=%) .

release: install ## make all files of a release in dist/release: VERSION=v1.2.3, SIGNING_KEY=key.pem, images as for xpkg
	@$(NODE) hack/release/main.ts --version='$(VERSION)' $(SIGNING_KEY:%=--signing-key=%) $(SOURCE:%=--source=%) \
		$(RUNTIME_IMAGES:%=--runtime-image=%) $(BASE_IMAGES:%=--base-image=%) $(ARGS)

e2e: build ## run the image with podman or Docker, then test it all in pods, on kind or a node; ARGS='--on node --keep'
	@npm run --silent test:containers -- --verbose
	@$(NODE) test/e2e/main.ts $(ARGS)

clean: ## remove what was built
	rm -rf dist coverage
