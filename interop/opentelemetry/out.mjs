// Umpire's spans and metrics at a real Collector; see tools/otlp-out.sh.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

const { values: bin } = parseArgs({ options: { umpire: { type: "string" }, collector: { type: "string" }, load: { type: "string" } } });
const dir = mkdtempSync(join(tmpdir(), "otlp-out-"));
const data = join(dir, "data");
const running = new Set();

const freePort = () =>
  new Promise((resolve) => {
    const s = createServer().listen(0, "127.0.0.1", () => {
      const { port } = s.address();
      s.close(() => resolve(port));
    });
  });

function start(name, args, env = {}) {
  const p = spawn(name, args, { env: { ...process.env, ...env }, stdio: ["ignore", "inherit", "inherit"] });
  running.add(p);
  p.ended = new Promise((resolve) => p.on("exit", resolve)).then(() => running.delete(p));
  return p;
}

async function stop(p, signal = "SIGTERM") {
  p.kill(signal);
  await p.ended;
}

async function until(what, check) {
  for (const end = Date.now() + 60_000; Date.now() < end; await new Promise((r) => setTimeout(r, 200))) {
    const got = await Promise.resolve().then(check).catch(() => false);
    if (got) return got;
  }
  throw new Error(`gave up waiting: ${what}; ${spans().length} spans`);
}

const lines = (file) => {
  try {
    // What is behind the last newline is still being written.
    return readFileSync(join(dir, file), "utf8").split("\n").slice(0, -1).map((l) => JSON.parse(l));
  } catch (e) {
    if (e.code === "ENOENT") return [];
    throw e;
  }
};
const valueOf = (attributes, key) => {
  const v = attributes?.find((a) => a.key === key)?.value;
  return v && Object.values(v)[0];
};
const spans = () => lines("spans.json").flatMap((l) => l.resourceSpans.flatMap((r) => r.scopeSpans.flatMap((s) => s.spans)));

try {
  const [listen, otlp] = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`];
  const config = join(dir, "collector.yaml");
  writeFileSync(
    config,
    `receivers: {otlp: {protocols: {http: {endpoint: "${otlp}"}}}}
exporters:
  file/spans: {path: "${join(dir, "spans.json")}", append: true}
  file/metrics: {path: "${join(dir, "metrics.json")}", append: true}
service:
  telemetry: {metrics: {level: none}, logs: {level: error}}
  pipelines:
    traces: {receivers: [otlp], exporters: [file/spans]}
    metrics: {receivers: [otlp], exporters: [file/metrics]}
`,
  );
  const collect = () => start(bin.collector, ["--config", config]);
  const serve = () =>
    start(bin.umpire, ["serve", "--data", data, "--listen", listen, "--otlp-out", `http://${otlp}`], { OTEL_METRIC_EXPORT_INTERVAL: "1000" });
  const key = (kind) => execFileSync(bin.umpire, ["key", "add", "--data", data, "--project", "shop", kind]).toString().trim();
  const send = (seed) => execFileSync(bin.load, ["--to", listen, "--key", write, "--events", "2000", "--batch", "50", "--days", "1", "--seed", seed]);
  const overview = async () => {
    const r = await fetch(`http://${listen}/api/v1/overview?project=shop&last=48h`, { headers: { authorization: `Bearer ${read}` } });
    if (!r.ok) throw new Error(await r.text());
    return r.json();
  };

  const distinct = () => [...new Map(spans().map((s) => [s.traceId + s.spanId, s])).values()];
  const outcomes = () => {
    const n = { ok: 0, bad_args: 0, tool_error: 0, crashed: 0 };
    for (const s of distinct()) {
      const [kind, outcome] = ["umpire.kind", "umpire.outcome"].map((k) => valueOf(s.attributes, k));
      if (outcome && (!kind || kind === "call")) n[outcome]++;
    }
    return n;
  };
  // The overview, once the Collector knows of as many calls.
  const same = async () => {
    const o = await overview();
    return o.calls > 0 && Object.values(outcomes()).reduce((a, b) => a + b) === o.calls && o;
  };

  const write = key("--write");
  const read = key("--read");
  let collector = collect();
  let server = serve();
  const up = () => until("the server", async () => (await fetch(`http://${listen}/healthz`)).ok);
  await up();
  send("1");
  await until("every call to be told", same);
  await stop(collector); // by SIGTERM: what it took is in its files
  send("2"); // nobody takes them yet
  await stop(server); // and what was not told waits in the log
  collector = collect();
  server = serve();
  await up();
  send("3");
  const before = await until("every call to be told after the outage", async () => (await overview()).calls > 5000 && same());
  let all = spans();
  assert.equal(new Set(all.map((s) => valueOf(s.attributes, "umpire.id"))).size, all.length, "an event came twice");
  send("4");
  await stop(server, "SIGKILL"); // in the middle: each event at least once, as one span
  server = serve();
  await up();
  // Of 2000 events about 1700 are calls.
  const o = await until("every call to be told after the kill", async () => (await overview()).calls > before.calls + 1600 && same());
  const once = all.length;
  all = spans();
  const events = new Set(all.map((s) => valueOf(s.attributes, "umpire.id"))).size;
  assert.equal(events, distinct().length, "an event is two spans");
  const told = outcomes();
  const want = { ok: o.slices.ok + o.slices.empty, bad_args: o.slices.bad_args, tool_error: o.slices.tool_error, crashed: o.slices.crashed };
  assert.deepEqual(told, want);
  const counted = await until("metrics", () => {
    const points = lines("metrics.json").flatMap((l) => l.resourceMetrics.flatMap((r) => r.scopeMetrics.flatMap((s) => s.metrics)));
    const last = points.filter((m) => m.name === "mcp.server.operation.duration").at(-1);
    return last?.histogram.dataPoints.length > 0 && last;
  });
  assert.ok(counted.unit === "s", `duration in ${counted.unit}`);
  console.log(`otlp-out: ${all.length} spans of ${o.calls} calls at the Collector, over an outage and a restart, none of ${once} twice; after a kill ${all.length - events} again: ${JSON.stringify(told)}`);
} finally {
  for (const p of running) p.kill("SIGKILL");
  rmSync(dir, { recursive: true, force: true });
}
