#!/usr/bin/env bash
# Runs vet and every test of the modules given, with the race detector: two modules at
# a time, as many of their tests wait rather than compute, and the last one, which is
# the largest, alone. A module's failure does not hide the next one's.
set -uo pipefail
cd "$(dirname "$0")/.."

if [[ $1 == --one ]]; then # what it says comes out in one piece
	out=$(cd "$2" && go vet ./... 2>&1 && go test -race -count=1 -timeout 12m ./... 2>&1)
	code=$?
	printf '== test %s\n%s\n' "$2" "$out"
	((code == 0)) || echo "$2" >>"$3"
	exit 0
fi

failed=$(mktemp)
trap 'rm -f "$failed"' EXIT
printf '%s\0' "${@:1:$#-1}" | xargs -0 -P 2 -I{} "$0" --one {} "$failed"

last=${*: -1}
echo "== test ${last}"
# Those that take longest begin first, so that nobody waits for one of them at the end.
(cd "$last" && go vet ./... && go test -race -count=1 -timeout 12m ./internal/store/... ./test/... ./...) || echo "$last" >>"$failed"

# Allocations are counted without the race detector, which makes some of its own.
for module in . gosdk mcpgo; do
	echo "== allocations in ${module}"
	(cd "$module" && go test -count=1 -run 'Alloc|Cost' .) || echo "allocations in $module" >>"$failed"
done

if [[ -s $failed ]]; then
	echo "FAILED in: $(paste -sd' ' "$failed")" >&2
	exit 1
fi
echo "all tests passed"
