#!/usr/bin/env bash
# Takes the screenshots of docs/ from a running demo. Look at them before you
# commit them.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
(cd server && UMPIRE_SHOTS=$folder go test ./test/browser -run TestShots -count 1)
for shot in "$folder"/docs-*.png; do
  name=${shot##*/docs-}
  cp "$shot" "docs/$name"
done
ls -l docs/*.png
