#!/usr/bin/env bash
# Runs vet and every test of the modules given, with the race detector.
# A module's failure does not hide the next one's.
set -uo pipefail
cd "$(dirname "$0")/.."
failed=()
for module in "$@"; do
	echo "== test ${module}"
	(cd "$module" && go vet ./... && go test -race -count=1 -timeout 12m ./...) || failed+=("$module")
done

# Allocations are counted without the race detector, which makes some of its own.
for module in . gosdk mcpgo; do
	echo "== allocations in ${module}"
	(cd "$module" && go test -count=1 -run 'Alloc|Cost' .) || failed+=("allocations in $module")
done

if ((${#failed[@]})); then
	echo "FAILED in: ${failed[*]}" >&2
	exit 1
fi
echo "all tests passed"
