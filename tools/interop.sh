#!/usr/bin/env bash
# Builds, vets and tests each adapter against the versions of its SDK that it
# serves, at language level Go 1.25, with the adapter's own interop_test.go.
# Works on copies: no go.mod of the repository is touched.
set -uo pipefail
cd "$(dirname "$0")/.."
root=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export GOWORK=off GOFLAGS=-mod=mod
failed=()

against() { # adapter, the SDK's module, its versions…
	local adapter=$1 sdk=$2 version dir got
	shift 2
	for version in "$@"; do
		dir=$work/$adapter-$version
		mkdir "$dir"
		find "$adapter" -maxdepth 1 -name '*.go' ! -name '*_test.go' -exec cp {} "$dir" \;
		cp "$adapter/interop_test.go" "$adapter/go.sum" "$dir"
		cat >"$dir/go.mod" <<-MOD
			module github.com/umpire-mcp/umpire/$adapter
			go 1.25
			require $sdk $version
			require github.com/umpire-mcp/umpire v0.0.0
			replace github.com/umpire-mcp/umpire => $root
		MOD
		echo "== $adapter with $sdk $version"
		(cd "$dir" && go vet . && go test -count=1 -timeout 2m .) || failed+=("$adapter with $version")
		# The test is worth nothing if another version was taken.
		got=$(cd "$dir" && go list -m -f '{{.Version}}' "$sdk")
		[[ $got == "$version" ]] || failed+=("$adapter with $version: got $got")
	done
}

against gosdk github.com/modelcontextprotocol/go-sdk v1.4.0 v1.6.1 v1.7.0 v1.8.0
against mcpgo github.com/mark3labs/mcp-go v0.47.1 v0.52.0 v0.58.0 v1.0.0 v1.2.1

if ((${#failed[@]})); then
	printf 'FAILED: %s\n' "${failed[@]}" >&2
	exit 1
fi
echo "all versions serve"
