#!/usr/bin/env bash
# Servers that are watched by OpenTelemetry or Sentry, for real, against the doors for
# them. Needs interop/opentelemetry/node_modules, and Python for those in Python.
set -euo pipefail
cd "$(dirname "$0")/.."
make -s build
(cd interop/opentelemetry && [[ node_modules/.package-lock.json -nt package-lock.json ]] || npm ci --no-audit --no-fund)
venv=interop/opentelemetry/.venv
if [[ ! -x $venv/bin/python ]]; then
	python3 -m venv "$venv"
	"$venv/bin/pip" install -q -r interop/opentelemetry/requirements.txt
fi
node interop/opentelemetry/run.mjs --umpire bin/umpire --python "$venv/bin/python" "$@"
