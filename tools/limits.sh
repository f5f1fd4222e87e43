#!/usr/bin/env bash
# Holds the size of the house: Go files up to 400 lines (tests apart).
set -euo pipefail
cd "$(dirname "$0")/.."
long=$(git ls-files '*.go' | grep -v _test.go | xargs wc -l | awk '$2 != "total" && $1 > 400 {print $1, $2}')
if [[ -n $long ]]; then
	echo "Go files over 400 lines; split them by subject:" >&2
	echo "$long" >&2
	exit 1
fi

# What is generated is committed and up to date.
make -s generate >/dev/null
if ! git diff --quiet -- '*.golden' '*.svg' 'server/internal/api/openapi.json'; then
	echo "make generate changed files; look at them and commit them:" >&2
	git diff --stat -- '*.golden' '*.svg' 'server/internal/api/openapi.json' >&2
	exit 1
fi
