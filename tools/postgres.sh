#!/usr/bin/env bash
# The tests of shared metadata need PostgreSQL's initdb and postgres, nothing that
# runs: they make databases of their own. Installs Debian's when run as root on a
# machine with apt; otherwise stops and names the command.
set -euo pipefail
if [[ -n ${UMPIRE_TEST_POSTGRES:-} ]] || compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || command -v initdb >/dev/null; then
	exit 0
fi
if [[ $(id -u) == 0 ]] && command -v apt-get >/dev/null; then
	if [[ ! -e /etc/postgresql-common/createcluster.conf ]]; then # or the package starts a server
		mkdir -p /etc/postgresql-common
		echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.conf
	fi
	apt-get update -qq
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends -o Dpkg::Options::=--force-confold postgresql >/dev/null
	exit 0
fi
echo "The tests need PostgreSQL. Install it with" >&2
echo "    sudo apt-get install postgresql" >&2
echo "or name the directory of initdb and postgres in UMPIRE_TEST_POSTGRES, and run this again." >&2
exit 1
