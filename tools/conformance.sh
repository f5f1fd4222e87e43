#!/usr/bin/env bash
# Runs the official conformance suite (npm: @modelcontextprotocol/conformance)
# against the Go SDK's own conformance server, with and without sessions: as it
# is, watched, and watched with UMPIRE_DISABLED=1. Fails unless every check gives
# the same in all three. Needs interop/conformance/node_modules.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
suite=$root/interop/conformance/node_modules/.bin/conformance
work=$(mktemp -d)
server=
trap '[[ -z $server ]] || kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT

build() { # name: the server of the pinned SDK version in $work/name
	mkdir "$work/$1"
	cp "$sdk/conformance/everything-server/main.go" "$work/$1/main.go"
	chmod u+w "$work/$1/main.go"
	cp gosdk/go.mod gosdk/go.sum "$work/$1"
	(cd "$work/$1" && go mod edit -module=conformance -replace="github.com/umpire-mcp/umpire=$root" \
		-require=github.com/umpire-mcp/umpire/gosdk@v0.0.0 -replace="github.com/umpire-mcp/umpire/gosdk=$root/gosdk")
	if [[ $1 == watched ]]; then
		sed -i 's/^\tregisterPrompts(server)$/&\n\twatch(server)/' "$work/$1/main.go"
		grep -q '^	watch(server)$' "$work/$1/main.go" || { echo "the SDK's server has changed: no place for watch(server)" >&2; exit 1; }
		sed '/^\/\/go:build/d' interop/conformance/watch.go >"$work/$1/watch.go"
	fi
	(cd "$work/$1" && GOWORK=off GOFLAGS=-mod=mod go build -o server .)
}

run() { # name, stateless, how to start…: each check on a line, in $work/name.txt
	local name=$1 stateless=$2 port
	shift 2
	port=$(node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close() })')
	UMPIRE_TEST_EVENTS=$work/$name.events "$@" -http "127.0.0.1:$port" -stateless="$stateless" 2>"$work/$name.log" &
	server=$!
	for _ in {1..100}; do
		(exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && break
		sleep 0.1
	done
	# The suite's exit code tells of failures, which are the same or not: see below.
	timeout 120 "$suite" server --url "http://127.0.0.1:$port/" -o "$work/$name" >"$work/$name.out" 2>&1 || true
	kill -0 "$server" || { echo "$name: the server died" >&2; cat "$work/$name.log" >&2; exit 1; }
	sleep 0.5 # the last batch
	kill "$server" && wait "$server" 2>/dev/null || true
	server=
	node interop/conformance/checks.mjs "$work/$name" >"$work/$name.txt"
	[[ $(wc -l <"$work/$name.txt") -ge 30 ]] || { echo "$name: the suite did not run" >&2; tail -20 "$work/$name.out" >&2; exit 1; }
}

sdk=$(cd gosdk && go mod download github.com/modelcontextprotocol/go-sdk && GOWORK=off go list -m -f '{{.Dir}}' github.com/modelcontextprotocol/go-sdk)
build bare
build watched
for stateless in false true; do
	run "bare-$stateless" $stateless "$work/bare/server"
	run "watched-$stateless" $stateless "$work/watched/server"
	run "disabled-$stateless" $stateless env UMPIRE_DISABLED=1 "$work/watched/server"
	for other in watched disabled; do
		if ! diff "$work/bare-$stateless.txt" "$work/$other-$stateless.txt"; then
			echo "conformance: $other differs from bare, stateless=$stateless" >&2
			exit 1
		fi
	done
	calls=$(grep -c '^call ' "$work/watched-$stateless.events" || true)
	[[ $calls -ge 8 ]] || { echo "conformance: only $calls calls were recorded" >&2; exit 1; }
	[[ ! -s $work/disabled-$stateless.events ]] || { echo "conformance: events in spite of UMPIRE_DISABLED" >&2; exit 1; }
	echo "conformance, stateless=$stateless: $(wc -l <"$work/bare-$stateless.txt") checks, $(grep -c SUCCESS "$work/bare-$stateless.txt") of them good, same bare, watched and disabled; $calls calls recorded"
done
