#!/usr/bin/env bash
# Runs the official conformance suite (npm: @modelcontextprotocol/conformance)
# against server-everything (npm), directly and behind umpire-proxy, and fails
# unless every check gives the same. Needs interop/conformance/node_modules.
set -euo pipefail
cd "$(dirname "$0")/.."
suite=$PWD/interop/conformance/node_modules/.bin/conformance
work=$(mktemp -d)
server=
others=()
trap 'kill $server "${others[@]}" 2>/dev/null || true; rm -rf "$work"' EXIT

freePort() {
	node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close() })'
}

awaitPort() {
	for _ in {1..200}; do
		(exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null && return
		sleep 0.1
	done
	echo "nobody listens on port $1" >&2
	exit 1
}

everything() { # name, direct or proxied: the same of server-everything
	local port address
	port=$(freePort)
	PORT=$port node interop/conformance/node_modules/@modelcontextprotocol/server-everything/dist/index.js streamableHttp >"$work/$1.log" 2>&1 &
	others+=($!)
	awaitPort "$port"
	address=127.0.0.1:$port
	if [[ $1 == proxied ]]; then
		node interop/conformance/collector.mjs "$work/proxied.events" >"$work/collector" &
		others+=($!)
		until [[ -s $work/collector ]]; do sleep 0.1; done
		address=127.0.0.1:$(freePort)
		"$work/umpire-proxy" --upstream "http://127.0.0.1:$port/mcp" --listen "$address" --to "$(cat "$work/collector")" --key ump_w_test 2>"$work/proxy.log" &
		server=$!
		awaitPort "${address#*:}"
	fi
	timeout 240 "$suite" server --url "http://$address/mcp" -o "$work/everything-$1" >"$work/everything-$1.out" 2>&1 || true
	node interop/conformance/checks.mjs "$work/everything-$1" >"$work/everything-$1.txt"
	[[ $(wc -l <"$work/everything-$1.txt") -ge 20 ]] || { echo "everything, $1: the suite did not run" >&2; tail -20 "$work/everything-$1.out" >&2; exit 1; }
}

CGO_ENABLED=0 go build -o "$work/umpire-proxy" ./cmd/umpire-proxy
everything direct
everything proxied
kill "$server" && wait "$server" || { echo "the proxy did not end well" >&2; cat "$work/proxy.log" >&2; exit 1; }
server=
diff "$work/everything-direct.txt" "$work/everything-proxied.txt" || { echo "conformance: server-everything differs behind the proxy" >&2; exit 1; }
calls=$(grep -c '^call ' "$work/proxied.events" || true)
[[ $calls -ge 5 ]] || { echo "conformance: only $calls calls were recorded behind the proxy" >&2; exit 1; }
echo "conformance, server-everything: $(wc -l <"$work/everything-direct.txt") checks, same directly and behind the proxy; $calls calls recorded"
