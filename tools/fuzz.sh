#!/usr/bin/env bash
# Runs each fuzz target of the modules given for $FUZZTIME; stops at the first finding.
set -euo pipefail
cd "$(dirname "$0")/.."

# targets lists file:name of each fuzz target of a module, nested modules apart.
targets() {
	(cd "$1" && go list -f '{{$d := .Dir}}{{range .TestGoFiles}}{{$d}}/{{.}} {{end}}{{range .XTestGoFiles}}{{$d}}/{{.}} {{end}}' ./... |
		tr ' ' '\n' | sed "s#^$PWD/##" | grep . | xargs grep -HoE '^func Fuzz[A-Za-z0-9_]+' | sed 's/func //')
}
for module in "$@"; do
	while IFS=: read -r file name; do
		dir=$(dirname "$file")
		echo "== fuzz ${module}/${dir} ${name} for ${FUZZTIME}"
		(cd "$module" && go test -run '^$' -fuzz "^${name}\$" -fuzztime "$FUZZTIME" -fuzzminimizetime 2s "./${dir}")
	done < <(targets "$module")
done
