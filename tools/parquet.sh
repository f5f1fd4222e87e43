#!/usr/bin/env bash
# What umpire export writes, as pandas and pyarrow read it: the same numbers that
# umpire report prints. Needs bin/umpire and Python with venv.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check 'pandas==2.3.*' 'pyarrow==21.*'
bin/umpire demo --once --data "$work/data" >/dev/null
bin/umpire report --data "$work/data" --json >"$work/report.json"
bin/umpire export --data "$work/data" --out "$work/out" --table all
"$work/venv/bin/python" - "$work" <<'PY'
import glob, json, sys
import pandas

work = sys.argv[1]
overview = json.load(open(work + "/report.json"))["overview"]
events = pandas.concat(pandas.read_parquet(f) for f in glob.glob(work + "/out/demo/events/*.parquet"))
known = ["ok", "bad_args", "tool_error", "crashed"]
calls = events[(events["kind"] == "call") & events["outcome"].isin(known)]
hours = pandas.concat(pandas.read_parquet(f) for f in glob.glob(work + "/out/demo/tool_hours/*.parquet"))
want = overview["calls"]
assert want > 50, want
assert len(calls) == want, (len(calls), want)
assert int(hours["calls"].sum()) == want, (hours["calls"].sum(), want)
for outcome in known:
    assert (calls["outcome"] == outcome).sum() == overview["outcomes"][outcome], outcome
assert str(events["started_at"].dtype) == "datetime64[us, UTC]", events["started_at"].dtype
assert events["id"].is_unique
print("pandas", pandas.__version__, "reads", len(events), "events,", want, "calls")
PY
