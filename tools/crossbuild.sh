#!/usr/bin/env bash
# Builds umpire-proxy without cgo for each system that it is released for, and
# fails when one of them has 15 MB or more.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CGO_ENABLED=0 GOWORK=off
for target in {linux,darwin,windows}/{amd64,arm64}; do
	GOOS=${target%/*} GOARCH=${target#*/} go build -trimpath -o "$work/umpire-proxy" ./cmd/umpire-proxy
	size=$(wc -c <"$work/umpire-proxy")
	((size < 15 * 1000 * 1000)) || { echo "umpire-proxy for $target has $size bytes" >&2; exit 1; }
	echo "umpire-proxy for $target: $((size / 1000)) kB"
done
