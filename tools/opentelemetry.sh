#!/usr/bin/env bash
# Servers that are watched by OpenTelemetry or Sentry, for real, against the doors for
# them. Needs interop/opentelemetry/node_modules, and Python for those in Python.
set -euo pipefail
cd "$(dirname "$0")/.."
make -s build
cd interop/opentelemetry
if [[ ! node_modules/.package-lock.json -nt package-lock.json ]]; then
	# A dependency's own script at install is run for none of them.
	npm ci --ignore-scripts --no-audit --no-fund
	touch node_modules/.package-lock.json
fi
if [[ ! .venv/made -nt requirements.txt ]]; then
	python3 -m venv --clear .venv
	.venv/bin/pip install --quiet --no-deps --requirement requirements.txt
	touch .venv/made
fi
node run.mjs --umpire ../../bin/umpire --python .venv/bin/python "$@"
