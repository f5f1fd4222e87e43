#!/usr/bin/env bash
# Runs the scenarios of the official conformance suite (interop/conformance) that need
# no tools of the suite's own against Umpire's own MCP endpoint, in a demo, and asks it
# with the MCP Inspector's command line. Needs
# bin/umpire and interop/conformance/node_modules.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
demo=
trap '[[ -z $demo ]] || kill "$demo" 2>/dev/null || true; rm -rf "$work"' EXIT
port=$(node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close() })')
XDG_CACHE_HOME=$work bin/umpire demo --allow-query --data "$work/data" --listen "127.0.0.1:$port" >"$work/demo.log" 2>&1 &
demo=$!
for _ in {1..300}; do
	(exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && break
	sleep 0.1
done
for scenario in server-initialize ping logging-set-level tools-list resources-list prompts-list dns-rebinding-protection; do
	timeout 60 interop/conformance/node_modules/.bin/conformance server --url "http://127.0.0.1:$port/mcp" --scenario "$scenario" -o "$work/$scenario" >"$work/out" 2>&1 ||
		{ echo "conformance of /mcp: $scenario fails" >&2; tail -30 "$work/out" >&2; exit 1; }
done
echo "conformance of /mcp: 7 scenarios pass"
inspect() { # arguments of the Inspector: what it prints
	timeout 60 interop/conformance/node_modules/.bin/mcp-inspector --cli "http://127.0.0.1:$port/mcp" --transport http "$@"
}
inspect --method tools/list >"$work/tools"
[[ $(grep -c '"inputSchema"' "$work/tools") -ge 18 ]] || { echo "the Inspector lists too few tools" >&2; cat "$work/tools" >&2; exit 1; }
ask() { # tool, what its answer holds, arguments
	local tool=$1 want=$2
	shift 2
	inspect --method tools/call --tool-name "$tool" "$@" >"$work/answer" 2>&1 && ! grep -q '"isError": true' "$work/answer" && grep -q -- "$want" "$work/answer" ||
		{ echo "the Inspector's $tool fails" >&2; cat "$work/answer" >&2; exit 1; }
}
ask get_overview '"error_rate"' --tool-arg last=24h
ask rank_tools search_books --tool-arg by=crashed
ask get_tool search_books --tool-arg tool=search_books
ask run_query search_books --tool-arg "sql=SELECT DISTINCT tool FROM calls"
echo "MCP Inspector at /mcp: $(grep -c '"inputSchema"' "$work/tools") tools, 4 of them asked"
