#!/usr/bin/env bash
# The browser tests need Debian's chromium. Installs it when run as root on a
# machine with apt; otherwise stops and names the command.
set -euo pipefail
if command -v chromium >/dev/null || command -v google-chrome >/dev/null || [[ -n ${UMPIRE_TEST_CHROMIUM:-} ]]; then
	exit 0
fi
if [[ $(id -u) == 0 ]] && command -v apt-get >/dev/null; then
	apt-get update -qq
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null
	exit 0
fi
echo "The browser tests need chromium. Install it with" >&2
echo "    sudo apt-get install chromium" >&2
echo "or name a Chromium binary in UMPIRE_TEST_CHROMIUM, and run this again." >&2
exit 1
