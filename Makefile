# Umpire: what a developer runs. `make` alone lists the targets.
#
# Needs: Go, a C compiler, Node with npm, git; for `make interop` Python, Rust and
# Java 17 with Maven, too. Everything else is fetched or built by the target that
# wants it.

SHELL   := bash
BIN     := $(CURDIR)/bin
GO      ?= go
MODULES := . gosdk mcpgo spec spec/upstream examples/errors examples/official examples/mcpgo otelout otelout/endtoend server/test/engine server
NODE_PROJECTS := examples/official/clienttest server/test/browser
FUZZTIME ?= 60s
SOAK ?= 10m
DRILL ?= 15m

.DEFAULT_GOAL := help

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sort | awk -F ':.*## ' '{printf "  make %-10s %s\n", $$1, $$2}'

.PHONY: build
build: ## build bin/umpire
	cd server && $(GO) build -trimpath -o $(BIN)/umpire ./cmd/umpire

.PHONY: demo
demo: build ## run the whole product on made-up traffic: server, MCP servers, clients, dashboard
	$(BIN)/umpire demo $(ARGS)

.PHONY: test
test: setup ## run every test of every module, with the race detector
	@./tools/test.sh $(MODULES)
	@$(MAKE) --no-print-directory build
	@./tools/servers.sh npm -- --server server-memory

.PHONY: interop
interop: interop/conformance/node_modules/.package-lock.json ## older SDK versions, the official conformance suite, umpire-proxy for each system, other vendors' SDKs, a real OpenTelemetry Collector, real servers behind the proxy, exports as pandas reads them (about 20 minutes)
	@./tools/interop.sh
	@./tools/conformance.sh
	@./tools/conformance-proxy.sh
	@./tools/crossbuild.sh
	@./tools/doors.sh
	@./tools/opentelemetry.sh
	@./tools/otlp-out.sh
	@$(MAKE) --no-print-directory build
	@./tools/mcp.sh
	@./tools/servers.sh
	@./tools/parquet.sh

.PHONY: recorded
recorded: ## record again what servers on other SDKs say: spec/corpus/recorded
	@./tools/servers.sh -r

.PHONY: setup
setup: node_modules engine ## fetch what the tests need: npm packages, chromium, postgresql, the ClickHouse engine
	@./tools/chromium.sh
	@./tools/postgres.sh

.PHONY: engine
engine: ## fetch ClickHouse as a library for the tests (npm; 566 MB, kept in ~/.cache/umpire) and build bin/engine
	@./tools/engine.sh

.PHONY: node_modules
node_modules: $(NODE_PROJECTS:%=%/node_modules/.package-lock.json)
%/node_modules/.package-lock.json: %/package-lock.json
	cd $* && npm ci --no-audit --no-fund
	@touch $@

.PHONY: lint
lint: $(BIN)/golangci-lint ## golangci-lint over every module; generated files are up to date
	@for m in $(MODULES); do echo "lint $$m"; (cd $$m && $(BIN)/golangci-lint run --config $(CURDIR)/.golangci.yml ./...) || exit 1; done
	@./tools/limits.sh

.PHONY: fmt
fmt: $(BIN)/gofumpt ## format every Go file
	$(BIN)/gofumpt -w $$(git ls-files '*.go')

.PHONY: generate
generate: ## write again what is generated: golden files of tests
	@for m in $(MODULES); do (cd $$m && $(GO) generate ./...) || exit 1; done
	cd server && $(GO) test ./internal/chart ./internal/api -update

.PHONY: bench
bench: ## measure the record path and the ingest path (quiet machine, about 5 minutes)
	@./tools/bench.sh

.PHONY: bench-store
bench-store: build $(BIN)/collector ## measure a whole server from outside (quiet machine): ARGS="--parts ingest,otel --events 1000000", see docs/benchmarks.md
	cd server && $(GO) build -o $(BIN)/bench-store ./bench/store && $(BIN)/bench-store $(ARGS)

$(BIN)/collector: server/bench/collector/go.mod server/bench/collector/main.go
	cd server/bench/collector && GOWORK=off $(GO) build -o $@ .

.PHONY: soak
soak: ## the proxy under steady traffic for SOAK (default 10m): memory flat, every call counted
	@SOAK=$(SOAK) ./tools/soak.sh

.PHONY: drill
drill: ## break a real server under load for DRILL (default 15m) in every way, and compare it with a ledger kept outside; DRILL_STORE=clickhouse for that store
	cd server && UMPIRE_DRILL_FOR=$(DRILL) $(GO) test ./test/drill -count=1 -v -run 'TestDrill$(if $(filter clickhouse,$(DRILL_STORE)),ClickHouse)$$' -timeout 24h

.PHONY: fuzz
fuzz: ## run each fuzz target for FUZZTIME (default 60s)
	@FUZZTIME=$(FUZZTIME) ./tools/fuzz.sh $(MODULES)

.PHONY: shots
shots: build ## take the screenshots in docs/ from a running demo
	@./tools/shots.sh

.PHONY: clean
clean: ## remove what was built
	rm -rf $(BIN)

$(BIN)/golangci-lint $(BIN)/gofumpt: tools/go.mod
	cd tools && GOWORK=off $(GO) build -o $(BIN)/ github.com/golangci/golangci-lint/v2/cmd/golangci-lint mvdan.cc/gofumpt
