#!/usr/bin/env bash
# Keeps 200 calls a second going through the proxy for SOAK (default 10m), over
# stdio and HTTP. Fails when memory grows or a call makes no event. Linux only.
set -euo pipefail
cd "$(dirname "$0")/.."
UMPIRE_SOAK=${SOAK:-10m} go test -run '^TestSoak$' -count=1 -timeout 0 -v ./internal/proxy
