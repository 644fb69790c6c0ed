# Narthex. "make help" lists the targets.

GO      ?= go
# nomsgpack omits a codec of gin that nothing here uses: 6 MB of the program.
FLAGS   := -trimpath -tags nomsgpack -ldflags '-s -w'
# What Go compiles for a program serves its tests and the checks, too, if all have the same flags.
export GOFLAGS := $(strip $(GOFLAGS) -trimpath -tags=nomsgpack)
export CGO_ENABLED := 0
MODULES := $(patsubst modules/%/module.json,%,$(wildcard modules/*/module.json))
SERVERS := $(patsubst modules/%/main.go,%,$(wildcard modules/*/main.go))
SDK     := modulehost/sdk
PROOF   := cmd/narthex-proof
PLATFORM := $(shell $(GO) env GOOS)-$(shell $(GO) env GOARCH)

.PHONY: help
help: ## Show this list
	@grep -E '^[a-z][a-z-]*:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

.PHONY: dev
dev: postgresql build modules ## Run the platform with its sample modules on http://localhost:3000
	@exec bin/narthex-dev dev

.PHONY: test
test: tools modules ## Run the tests that a change is likely to break, in a few minutes
	@GO=$(GO) .ci/test short

.PHONY: proof
proof: tools engines modules ## Run every test, with the race detector, and a fault of each kind: up to an hour
	@GO=$(GO) .ci/test all
	@[ "$$(id -u)" != 0 ] || .ci/packages failover
	@$(MAKE) --no-print-directory faults FAULTS='$(PROOF_FAULTS)'

# One or more faults of each kind, in a few minutes; "make faults" has all.
PROOF_FAULTS := ^(modules/spins|database/(restarted|half-open|failover)|patroni/.*|neighbours/(mail-hanging|storage-resets|nats-killed)|several/(one-frozen|nats-cluster)|clients/(slow-bodies|silent-readers)|signals/(term|kill)|resources/descriptors|clock/back)$$

.PHONY: places
places: tools ## Run the short tests in four other places (root, debootstrap, bubblewrap)
	@GO=$(GO) .ci/places

.PHONY: tools
tools: packages postgresql versitygw proxies web/node_modules

.PHONY: test-install
test-install: postgresql versitygw ## Install, upgrade and remove the package on a bare Debian 12 and 13, by the handbook's commands (root)
	@.ci/debian-root
	@.ci/debian-root trixie
	NARTHEX_DEBIAN_ROOT=$(CURDIR)/.tools/debian-root $(GO) test -count=1 -timeout 30m -run '^Test(Handbook|ManyHouses)$$' ./cmd/narthex/e2e
	NARTHEX_DEBIAN_ROOT=$(CURDIR)/.tools/debian-root-trixie $(GO) test -count=1 -timeout 30m -run '^Test(Handbook|ManyHouses)$$' ./cmd/narthex/e2e

.PHONY: fuzz
fuzz: postgresql ## Give every fuzz target random inputs, FUZZ (1m) each
	@GO=$(GO) nice .ci/fuzz

.PHONY: build
build: ## Build bin/narthex and, with what development needs, bin/narthex-dev
	$(GO) build $(FLAGS) -o bin/ ./cmd/narthex ./cmd/narthex-dev

.PHONY: modules
modules: $(addprefix module-,$(SERVERS)) ## Build every sample module, and its package with a checksum in bin/modules
	@$(GO) run ./modulehost/archive/pack -out bin/modules $(addprefix modules/,$(MODULES))

# Without version control data, so that the same sources result in the same bytes. A module may run as a user of
# its own, which has to read its folder whatever the umask is.
module-%:
	$(GO) build -trimpath -buildvcs=false -ldflags '-s -w' -o modules/$*/bin/$(PLATFORM)/$* ./modules/$*
	@chmod -R a+rX modules/$*

.PHONY: web
web: web/node_modules ## Build what browsers run: the Dashboard, the browser SDK, the samples' scripts
	$(GO) run ./web/build

# Installed again when the lock file has changed.
web/node_modules: web/package-lock.json
	@.ci/packages npm
	cd web && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

.PHONY: start
start: build modules ## Build, then run the platform from the environment (api:start)
	@exec bin/narthex api:start

.PHONY: generate
generate: postgresql ## Write generated code and the tables of docs/reference
	$(GO) generate ./...
	REFERENCE=write $(GO) test -count=1 -run TestReference ./cmd/narthex/e2e

.PHONY: deb
deb: build ## Make the Debian package in bin
	$(GO) run ./deploy/debian/pack -arch $$(dpkg --print-architecture)

.PHONY: lint
lint: ## Check formatting, vet and staticcheck
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { echo "not gofmt-ed:"; gofmt -l $$(git ls-files '*.go'); exit 1; }
	$(GO) vet ./...
	$(GO) -C $(SDK) vet ./...
	$(GO) -C $(PROOF) vet ./...
	$(GO) tool staticcheck ./...
	@staticcheck=$$($(GO) tool -n staticcheck) && for module in $(SDK) $(PROOF); do \
		echo "staticcheck of $$module"; (cd $$module && "$$staticcheck" ./...) || exit 1; done

# The tools that measure the platform and break it, a Go module of their own: bin/narthex-bench, bin/narthex-faults.
.PHONY: proof-tools
proof-tools:
	$(GO) -C $(PROOF) build -o $(CURDIR)/bin/narthex-bench ./bench
	$(GO) -C $(PROOF) build -o $(CURDIR)/bin/narthex-faults ./faults
	$(GO) -C $(PROOF) build -o $(CURDIR)/bin/narthex-houses ./houses

# Programs to compare with: BENCH_PEERS='-pocketbase ./pocketbase -nginx /usr/sbin/nginx'.
BENCH_PEERS ?=
.PHONY: bench
bench: postgresql versitygw modules build proof-tools ## Measure the platform beside the least program that could do the same work
	bin/narthex-bench $(BENCH_PEERS)

.PHONY: pages
pages: postgresql versitygw modules build proof-tools $(PROOF)/lighthouse/node_modules ## Open eight pages with Lighthouse, and fail if one is slow or moves
	bin/narthex-bench -lighthouse $(PROOF)/lighthouse -runs 3

# Not among the packages of web, because it has 190 MB and only these pages need it.
$(PROOF)/lighthouse/node_modules: $(PROOF)/lighthouse/package-lock.json
	@.ci/packages npm chromium
	cd $(PROOF)/lighthouse && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

.PHONY: faults
faults: postgresql versitygw build proof-tools ## Inject each fault into a running platform and see what it does (FAULTS=expression; some need root)
	bin/narthex-faults -run '$(FAULTS)'

# In a copy of the sources. MUTATIONS=expression chooses by file and text.
.PHONY: mutations
mutations: tools modules ## Break one guard at a time and see whether a test fails: an hour or two
	$(GO) -C $(PROOF) build -o $(CURDIR)/bin/narthex-mutations ./mutations
	bin/narthex-mutations -run '$(MUTATIONS)'

HOUSES ?= 1,50,200
.PHONY: houses
houses: postgresql modules build proof-tools ## Measure many installations on this machine (HOUSES=1,5 for a try)
	@.ci/packages pgbouncer
	bin/narthex-houses -houses $(HOUSES)

SOAK ?= 20m
.PHONY: soak
soak: postgresql versitygw build proof-tools ## Load a platform for 20 minutes, with faults, and see that it does not grow (SOAK=8h for longer)
	bin/narthex-faults -soak $(SOAK)

.PHONY: outdated
outdated: ## List the direct dependencies that have a newer release, of Go and of npm
	@for module in . $(SDK) $(PROOF); do $(GO) -C $$module list -e -m -u \
		-f '{{if and .Update (not .Indirect)}}{{.Path}} {{.Version}}: {{.Update.Version}}{{end}}' all; done
	@cd web && npm outdated || true # npm fails if it lists any

.PHONY: postgresql
postgresql:
	@.ci/postgresql

# All at once, so that a user who may not install packages has to ask only once.
.PHONY: packages
packages:
	@.ci/packages compiler openssh pgbouncer pages $(if $(wildcard web/node_modules),,npm)

# The object storage server of the tests. The first build takes minutes.
.PHONY: versitygw
versitygw: .tools/versitygw-1.8.0
.tools/versitygw-1.8.0:
	@echo "Building the object storage server of the tests, once; this takes a few minutes ..."
	@GOBIN=$(CURDIR)/.tools $(GO) install github.com/versity/versitygw/cmd/versitygw@v1.8.0
	@touch $@

# Browsers of other engines, old ones, and a calendar program, which only "make proof" needs.
.PHONY: engines
engines: web/node_modules
	@.ci/packages chromium firefox webkit calendars
	@.ci/chromiums

.PHONY: proxies
proxies:
	@.ci/proxies
