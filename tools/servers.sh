#!/usr/bin/env bash
# Drives real MCP servers with real clients, without and with `umpire proxy`
# between (interop/README.md). Sets up what the servers need, in folders that git
# ignores: npm packages, Python environments, the Rust and the Java server.
#
#   tools/servers.sh            all of them
#   tools/servers.sh npm rust   some, by their folder in interop/
#   tools/servers.sh -r         all that are recorded, and write spec/corpus/recorded again
#   tools/servers.sh npm -- --server server-memory    what follows -- is for drive/run.mjs
#
# Needs bin/umpire, Go, Node with npm, Python, Rust with cargo, and Java 17 with Maven.
set -euo pipefail
cd "$(dirname "$0")/../interop"
all=(typescript-v1 typescript-v2 npm go-official go-mcpgo python-high python-low python-v2-high python-v2-low fastmcp rust java)
recorded=(typescript-v1 typescript-v2 go-official go-mcpgo python-high python-low python-v2-high python-v2-low fastmcp rust java)

packages() { # folder
	[[ $1/node_modules/.package-lock.json -nt $1/package-lock.json ]] && return
	# A dependency's own script at install is run for none of them.
	(cd "$1" && npm ci --ignore-scripts --no-audit --no-fund)
	touch "$1/node_modules/.package-lock.json"
}

environment() { # folder
	[[ $1/.venv/made -nt $1/requirements.txt ]] && return
	python3 -m venv --clear "$1/.venv"
	"$1/.venv/bin/pip" install --quiet --no-deps --requirement "$1/requirements.txt"
	touch "$1/.venv/made"
}

setup() { # folder
	case $1 in
	typescript-* | npm) packages "$1" ;;
	go-*) (cd "../examples/${1#go-}" && go build -o "../../bin/interop/${1#go-}" .) ;;
	python-low) environment python-high ;;
	python-v2-low) environment python-v2-high ;;
	python-* | fastmcp) environment "$1" ;;
	rust) (cd rust && cargo build --locked --quiet) ;;
	java) [[ java/target/made -nt java/pom.xml && java/target/made -nt java/src/main/java/outcomes/Main.java ]] ||
		{ (cd java && mvn --quiet --batch-mode compile) && touch java/target/made; } ;;
	esac
}

options=(--umpire ../bin/umpire)
if [[ ${1-} == -r ]]; then
	shift
	options=(--record ../spec/corpus/recorded)
	all=("${recorded[@]}")
fi
servers=()
while [[ $# -gt 0 && $1 != -- ]]; do
	servers+=("$1")
	shift
done
[[ ${1-} == -- ]] && shift
((${#servers[@]})) || servers=("${all[@]}")
packages drive
for server in "${servers[@]}"; do
	echo "== set up interop/$server"
	setup "$server"
done
node drive/run.mjs "${options[@]}" "$@" "${servers[@]}"
