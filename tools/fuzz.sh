#!/usr/bin/env bash
# Runs each fuzz target of the modules given for $FUZZTIME; stops at the first finding.
set -euo pipefail
cd "$(dirname "$0")/.."
for module in "$@"; do
	while IFS=: read -r file name; do
		dir=$(dirname "$file")
		echo "== fuzz ${module}/${dir} ${name} for ${FUZZTIME}"
		(cd "$module" && go test -run '^$' -fuzz "^${name}\$" -fuzztime "$FUZZTIME" "./${dir}")
	done < <(cd "$module" && git ls-files '*_test.go' | grep -v '^\(gosdk\|server\|spec\|examples\|tools\)/' | xargs -r grep -oE '^func Fuzz[A-Za-z0-9_]+' | sed 's/func //')
done
