#!/usr/bin/env bash
# Runs the benchmarks several times and prints the median of each with its
# spread (benchstat). The spread is the machine's noise: quote both. Results that
# are worth keeping go into docs/benchmarks.md.
#
#   COUNT=6 ./tools/bench.sh            all of them
#   ONLY=Record ./tools/bench.sh        those whose name matches
set -euo pipefail
cd "$(dirname "$0")/.."
count=${COUNT:-6}
only=${ONLY:-.}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

echo "machine: $(uname -sm), $(nproc) cores, $(go version | cut -d' ' -f3)"
run() { # module, packages…
	local module=$1
	shift
	(cd "$module" && go test -run '^$' -bench "$only" -benchmem -count "$count" -timeout 40m "$@") | tee -a "$out/all.txt"
}
run . .  ./redact ./internal/proxy
run gosdk .
run mcpgo .
run server ./bench ./internal/store/duckdb

(cd tools && GOWORK=off go tool benchstat "$out/all.txt")
