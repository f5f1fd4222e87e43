#!/usr/bin/env bash
# Other vendors' SDKs against a real `umpire serve`, over stdio and HTTP, from npm,
# PyPI and the Go proxy: what is counted is what was called, and an outage of Umpire
# is not noticed. ONLY=REGEXP runs a part. Takes about 7 minutes. Needs Python.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

(cd server && go build -trimpath -o "$work/umpire" ./cmd/umpire)
(cd interop/doors && { [[ -d node_modules ]] || npm ci --ignore-scripts --no-audit --no-fund; })
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check -r interop/doors/requirements.txt
(cd interop/doors/posthog-go && GOWORK=off go build -o "$work/posthog-go" .)
node interop/doors/run.mjs --umpire "$work/umpire" --python "$work/venv/bin/python" --posthog-go "$work/posthog-go" --only "${ONLY:-}"
