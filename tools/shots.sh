#!/usr/bin/env bash
# Takes the screenshots of docs/ from a running demo. Look at them before you
# commit them.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
(cd server && UMPIRE_SHOTS=$folder go test ./test/browser -run TestDemoPages/overview -count 1)
cp "$folder/demo-screen-1280-light.png" docs/overview-light.png
cp "$folder/demo-screen-1280-dark.png" docs/overview-dark.png
ls -l docs/*.png
