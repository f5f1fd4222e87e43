#!/usr/bin/env bash
# What `umpire serve --otlp-out` tells a real OpenTelemetry Collector, over an outage of
# the Collector and a restart of the server: each stored event is one span, with the
# outcome that the read API tells, and the metrics count as many calls.
set -euo pipefail
cd "$(dirname "$0")/.."
make -s build "$PWD/bin/collector"
(cd server && go build -o ../bin/load ./test/load)
exec node interop/opentelemetry/out.mjs --umpire bin/umpire --collector bin/collector --load bin/load
