#!/usr/bin/env bash
# Fetches ClickHouse as a library (npm, 170 MB; 566 MB unpacked, kept outside of the
# repository) and builds the front that the tests drive it through: bin/engine.
# The version and what it must hash to are pinned here.
set -euo pipefail
cd "$(dirname "$0")/.."
package=@chdb/lib-linux-x64-gnu
version=26.7.3-stable.1
integrity=sha512-XP97mMqnc5tZpKQywR8N7cLTsHNiTmHr30pC5mzo3jWmukjKn2IBa60c2B/gWUNcuFjOMjWoorQICCqBVj5wpw==

if [[ -n ${UMPIRE_TEST_CLICKHOUSE:-} ]]; then
	exit 0 # the tests use that server
fi
if [[ $(uname -sm) != "Linux x86_64" ]]; then
	echo "The ClickHouse engine of the tests is there for Linux on amd64 (glibc) only." >&2
	echo "Start a ClickHouse server and name it: UMPIRE_TEST_CLICKHOUSE=clickhouse://user:password@host:8123/database" >&2
	exit 1
fi

cache=${XDG_CACHE_HOME:-$HOME/.cache}/umpire/engine/$version
if [[ ! -s $cache/libchdb.so ]]; then
	mkdir -p "$cache"
	scratch=$(mktemp -d "$cache/fetch.XXXXXX")
	trap 'rm -rf "$scratch"' EXIT
	archive=$scratch/$(npm pack --silent --pack-destination "$scratch" "$package@$version" | tail -1)
	got=$(node -e 'const {createHash} = require("node:crypto"), {readFileSync} = require("node:fs"); console.log("sha512-" + createHash("sha512").update(readFileSync(process.argv[1])).digest("base64"))' "$archive")
	if [[ $got != "$integrity" ]]; then
		echo "$package $version is not what was pinned: $got" >&2
		exit 1
	fi
	tar -xzf "$archive" -C "$scratch" package/libchdb.so
	mv "$scratch/package/libchdb.so" "$cache/libchdb.so"
fi

mkdir -p bin
ln -sfn "$cache/libchdb.so" bin/libchdb.so
cd server/test/engine
CGO_ENABLED=0 GOWORK=off "${GO:-go}" build -trimpath -o ../../../bin/engine .
