// Drives the servers in the folders named, over each of their transports:
// directly, and with --umpire through `umpire proxy` in front of them, too. Then
// the two must have given the client the same bytes, and a real `umpire serve`
// must have counted what was provoked.
//
//   node run.mjs [--umpire BINARY] [--record DIR] [--transport stdio|http] [--client v1|v2] [--server NAME] FOLDER…
//
// --record writes the exchange without the proxy as DIR/SDK-VERSION.TRANSPORT.CLIENT.ndjson,
// and what each call provoked beside it. The exit code is 1 when anything differs.

import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { play } from "./play.mjs";
import { freePort, Listener } from "./process.mjs";
import { stepsFor } from "./scenario.mjs";
import { provoked, Umpire } from "./umpire.mjs";

const { values: options, positionals: folders } = parseArgs({
  allowPositionals: true,
  options: {
    umpire: { type: "string" },
    record: { type: "string" },
    transport: { type: "string" },
    client: { type: "string" },
    server: { type: "string" },
    verbose: { type: "boolean" },
  },
});
if (folders.length === 0) {
  console.error("usage: node run.mjs [--umpire BINARY] [--record DIR] [--transport stdio|http] [--client v1|v2] FOLDER…");
  process.exit(2);
}

let faults = 0;
let runs = 0;
let calls = 0;
function fault(where, text) {
  faults++;
  console.error(`FAILED ${where}: ${text}`);
}

const umpire = options.umpire && (await Umpire.start(resolve(options.umpire)));
try {
  for (const folder of folders) await serve(resolve(folder));
} finally {
  await umpire?.stop();
}
if (faults > 0 || runs === 0) {
  console.error(`${runs} runs, ${faults} faults`);
  process.exit(1);
}
console.log(`${runs} runs, ${calls} steps${umpire ? ": the same bytes with the proxy as without, and counted as provoked" : " recorded"}`);

// serve drives what a folder holds: one server (server.json), or many (servers.json).
async function serve(folder) {
  const many = join(folder, "servers.json");
  const servers = existsSync(many) ? JSON.parse(readFileSync(many)) : [JSON.parse(readFileSync(join(folder, "server.json")))];
  for (const server of servers) {
    if (options.server && server.sdk !== options.server) continue;
    for (const run of server.runs) {
      if (options.transport && run.transport !== options.transport) continue;
      if (options.client && run.client !== options.client) continue;
      await timed(`${basename(folder)} ${server.sdk} ${server.version} ${run.transport} ${run.client}`, folder, server, run);
    }
  }
}

async function timed(where, folder, server, run) {
  const started = Date.now();
  // The same folder for both runs: its path is in answers.
  const tmp = mkdtempSync(join(tmpdir(), "umpire-interop-"));
  try {
    await compare(where, folder, JSON.parse(JSON.stringify(server).replaceAll("{tmp}", tmp)), run, tmp);
  } catch (error) {
    fault(where, error.stack);
  } finally {
    rmSync(tmp, { recursive: true, force: true });
  }
  console.log(`${where}: ${((Date.now() - started) / 1000).toFixed(1)} s`);
}

async function compare(where, folder, server, run, tmp) {
  const steps = stepsFor(server, run);
  runs++;
  calls += steps.length;
  // A recording is kept; its one long answer need not be that long.
  if (options.record) for (const step of steps.filter(({ name }) => name === "large")) step.args = { kib: 10 };
  fill(tmp, server.files);
  const direct = await through(folder, server, run, steps);
  if (options.verbose) for (const { step, seen } of direct.seen) console.log(`  ${step}: ${seen}`);
  if (options.record) record(options.record, server, run, steps, direct);
  if (!umpire) return;

  const project = where.replace(/[^a-zA-Z0-9]+/g, "-").toLowerCase();
  fill(tmp, server.files);
  const proxied = await through(folder, server, run, steps, umpire.key(project, "write"));
  sameBytes(where, direct, proxied, server.random && new RegExp(server.random, "gm"));
  const want = provoked(steps);
  const got = await umpire.counts(project, steps.flatMap((step) => step.want).length);
  for (const what of new Set([...Object.keys(want), ...Object.keys(got)])) {
    const nameless = what.includes(" named ") && !(what in want);
    if (want[what] !== got[what] && !nameless) fault(where, `provoked ${want[what] ?? 0}, counted ${got[what] ?? 0}: ${what}`);
  }
}

function fill(tmp, files = {}) {
  for (const name of readdirSync(tmp)) rmSync(join(tmp, name), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(tmp, name), text);
}

// through plays the steps: straight to the server, or with a key through the proxy.
async function through(folder, server, run, steps, key) {
  const env = { ...process.env, ...server.env };
  const proxy = key && [resolve(options.umpire), "proxy", "--to", umpire.url, "--key", key];
  if (run.transport === "stdio") {
    const [command, ...args] = proxy ? [...proxy, "--", ...server.stdio] : server.stdio;
    return play({ stdio: { command, args, env, cwd: folder } }, run.client, steps, run.stateless);
  }
  const port = await freePort();
  const here = (text) => text.replace("{port}", port);
  for (const [name, value] of Object.entries(server.env ?? {})) env[name] = here(value);
  const listeners = [new Listener(server.http.map(here), { env, cwd: folder, port })];
  try {
    await listeners[0].ready();
    const path = server.path ?? "/mcp";
    if (!proxy) return await play({ url: `http://127.0.0.1:${port}${path}` }, run.client, steps, run.stateless);
    const front = await freePort();
    listeners.unshift(new Listener([...proxy, "--upstream", `http://127.0.0.1:${port}`, "--listen", `127.0.0.1:${front}`], { env, port: front }));
    await listeners[0].ready();
    return await play({ url: `http://127.0.0.1:${front}${path}` }, run.client, steps, run.stateless);
  } finally {
    for (const listener of listeners) await listener.stop(); // the proxy first: it sends what it has
  }
}

// sameBytes holds what the client got without the proxy against what it got with it.
// random matches what the server itself makes anew each time.
function sameBytes(where, direct, proxied, random) {
  const [a, b] = [direct, proxied].map(({ recorder }) => recorder.got.filter((reply) => !unanswered(reply)));
  const [askedA, askedB] = [a, b].map((got) => got.filter((reply) => !isListening(reply) && !headAlone(reply)));
  if (askedA.length !== askedB.length) {
    const list = (got) => got.map(({ what, bytes }) => `    ${what} ${cut(bytes, 100)}`).join("\n");
    fault(where, `${askedA.length} replies without the proxy, ${askedB.length} with it:\n${list(askedA)}\n  and\n${list(askedB)}`);
  } else {
    askedA.forEach((reply, i) => same(where, `reply ${i}`, reply, askedB[i], random));
  }
  // A client listens on a GET, again and again when it ends: how often is a matter of time.
  const heard = (got) => [...new Set(got.filter(isListening).map(({ what, bytes }) => `${what} ${known(bytes, random).trim()}`))].sort().join("\n");
  if (heard(a) !== heard(b)) fault(where, `heard without the proxy:\n${heard(a)}\n  and with it:\n${heard(b)}`);
  const [x, y] = [direct, proxied].map(({ seen, ends }) => JSON.stringify({ seen, ends }));
  if (x !== y) fault(where, `the client saw ${x} without the proxy, ${y} with it`);
}

function same(where, which, a, b, random) {
  if (a.what !== b.what) fault(where, `${which}: ${a.what} without the proxy, ${b.what} with it`);
  else if (known(a.bytes, random) !== known(b.bytes, random)) fault(where, `${which} differs:\n  without ${cut(a.bytes)}\n  with    ${cut(b.bytes)}`);
}

function isListening({ what }) {
  return what.startsWith("GET ");
}

// unanswered: where nobody listens any more, a client without the proxy has a broken
// connection.
function unanswered({ what, bytes }) {
  return /^(POST|GET) 502 /.test(what) && bytes.startsWith("umpire proxy: no answer");
}

// headAlone: whether a server that ends within a call gets the head of its answer out
// before is a race of its own, with the proxy and without.
function headAlone({ broken, bytes }) {
  return broken && bytes === "";
}

function known(bytes, random) {
  return random ? bytes.replace(random, "") : bytes;
}

function cut(text, n = 400) {
  return text.length > n ? text.slice(0, n) + "…" : text;
}

function record(folder, server, run, steps, { recorder, seen }) {
  mkdirSync(folder, { recursive: true });
  const name = join(folder, `${server.sdk}-${server.version}.${run.transport}.${run.client}`);
  writeFileSync(`${name}.ndjson`, recorder.toString());
  const lines = steps.map(({ name: step, tool, how, want }, i) => JSON.stringify({ step, tool, how, seen: seen[i].seen, want }));
  writeFileSync(`${name}.scenario.json`, `[\n${lines.join(",\n")}\n]\n`);
}
