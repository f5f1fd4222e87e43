// Servers that are watched by OpenTelemetry or Sentry, against a real `umpire serve`:
// what is counted is what each of them can show of the calls that were made.
//
//   node run.mjs --umpire BINARY [--python PYTHON] [WATCH…]
//
// PYTHON has fastmcp, opentel-mcp and OpenTelemetry's SDK; without it only Node runs.

import { execFileSync } from "node:child_process";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { freePort, Listener, pause } from "../drive/process.mjs";
import { Umpire } from "../drive/umpire.mjs";

const { values: options, positionals } = parseArgs({ allowPositionals: true, options: { umpire: { type: "string" }, python: { type: "string" } } });
const folder = new URL(".", import.meta.url).pathname;

const calls = [
  ["ok_tool", { q: "weather for max@example.com" }],
  ["empty_list"],
  ["empty_content"],
  ["refuse"],
  ["boom"],
  ["named_error"],
  ["strict", { colour: "red" }],
  ["strict", { colour: "max@example.com" }],
  ["no_such_tool"],
  ["slow"],
  ["slow", {}, true], // the client gives up
];

// What docs/outcomes.md makes of what each can show; docs/migrate says why.
const all = { "ok_tool ok": 1, "strict ok": 1 };
const named = { "named_error tool_error returned": 1, "named_error named KernelApiError404": 1 };
const conventions = {
  ...all, "empty_list empty": 1, "empty_content empty": 1, "slow ok": 2,
  "refuse tool_error result": 1, "boom tool_error result": 1, "named_error tool_error result": 1,
  "strict bad_args schema": 1, "no_such_tool bad_args unknown_tool": 1,
};
const want = {
  "otlp-json": conventions,
  "otlp-proto": conventions,
  "otlp-grpc": conventions,
  shinzo: { ...all, ...named, "empty_list ok": 1, "empty_content ok": 1, "refuse ok": 1, "boom crashed thrown": 1, "slow ok": 2 },
  "sentry-11": {
    ...all, ...named, "empty_list empty": 1, "empty_content empty": 1, "slow ok": 1, cancelled: 1,
    "refuse tool_error result": 1, "boom crashed thrown": 1, "strict bad_args schema": 1, "no_such_tool bad_args unknown_tool": 1,
  },
  "sentry-10": {
    ...all, ...named, "empty_list ok": 1, "empty_content empty": 1, "slow ok": 1, cancelled: 1,
    "refuse tool_error result": 1, "boom crashed thrown": 1, "strict tool_error result": 1, "no_such_tool tool_error result": 1,
  },
  fastmcp: {
    ...all, "empty_list ok": 1, "empty_content ok": 1, "slow ok": 2, "refuse tool_error result": 1,
    "boom crashed thrown": 1, "named_error crashed thrown": 1, "strict bad_args schema": 1, "no_such_tool bad_args unknown_tool": 1,
  },
  "opentel-mcp": {
    ...all, ...named, "empty_list ok": 1, "empty_content ok": 1, "slow ok": 1, cancelled: 1, "refuse tool_error result": 1,
    "boom crashed thrown": 1, "boom named ValueError": 1, "strict tool_error result": 1, "no_such_tool tool_error result": 1,
  },
};

let faults = 0;
function fault(where, text) {
  faults++;
  console.error(`FAILED ${where}: ${text}`);
}

process.env.UMPIRE_DOOR_SENTRY = "true";
const grpc = await freePort();
process.env.UMPIRE_OTLP_GRPC = `127.0.0.1:${grpc}`;
const umpire = await Umpire.start(resolve(options.umpire));
delete process.env.UMPIRE_OTLP_GRPC;
try {
  for (const watch of positionals.length ? positionals : Object.keys(want)) {
    const python = watch === "fastmcp" || watch === "opentel-mcp";
    if (python && !options.python) {
      console.log(`${watch}: not run, no --python`);
      continue;
    }
    for (const transport of ["stdio", "http"]) {
      const began = Date.now();
      const where = `${watch}-${transport}`;
      try {
        await counted(where, watch, transport, python ? [resolve(options.python), "server.py"] : ["node", "server.mjs"]);
      } catch (error) {
        fault(where, error.stack);
      }
      console.log(`${where}: ${((Date.now() - began) / 1000).toFixed(1)} s`);
    }
  }
} finally {
  await umpire.stop();
}
if (faults > 0) {
  console.error(`${faults} failed`);
  process.exit(1);
}

async function counted(where, watch, transport, command) {
  let key = umpire.key(where, "write");
  if (watch.startsWith("sentry")) {
    key = Buffer.from(where.padEnd(16, "0")).toString("hex").slice(0, 32); // Sentry's own are hex
    execFileSync(resolve(options.umpire), ["key", "add", "--data", umpire.data, "--project", where, "--foreign", key]);
  }
  const env = { ...process.env, WATCH: watch, TO: umpire.url, TO_GRPC: `http://127.0.0.1:${grpc}`, KEY: key };
  // Shinzo sends each five seconds, and over HTTP nothing at its end.
  const { seen, said } = await play(command, env, transport, watch === "shinzo" ? 6500 : 1500);
  if (seen.length !== calls.length) fault(where, `the client saw ${seen.join("\n")}\n${said}`);
  const expected = Object.entries(want[watch]).reduce((n, [what, k]) => n + (what.includes(" named ") ? 0 : k), 0);
  const got = await umpire.counts(where, expected);
  for (const what of new Set([...Object.keys(want[watch]), ...Object.keys(got)])) {
    if (what.endsWith(" named unknown")) continue; // how the read API has none
    if (want[watch][what] !== got[what]) fault(where, `want ${want[watch][what] ?? 0}, counted ${got[what] ?? 0}: ${what}`);
  }
  if (faults > 0) console.error(said.slice(-1500));
}

// play makes the calls, and ends the server in good order: what it still holds it
// sends then.
async function play(command, env, transport, wait) {
  const client = new Client({ name: "interop-driver", version: "0.9.0" });
  let way, listener;
  let said = "";
  if (transport === "http") {
    const port = await freePort();
    listener = await new Listener([...command, String(port)], { env, cwd: folder, port }).ready();
    way = new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`));
  } else {
    way = new StdioClientTransport({ command: command[0], args: command.slice(1), cwd: folder, env, stderr: "pipe" });
    way.stderr.on("data", (chunk) => (said += chunk));
  }
  const seen = [];
  try {
    await client.connect(way);
    await client.listTools();
    for (const [name, args = {}, abort] of calls) {
      const options = abort ? { signal: AbortSignal.timeout(200) } : {};
      seen.push(await client.callTool({ name, arguments: args }, undefined, options).then(JSON.stringify, String));
    }
    await pause(900); // the handler that was given up ends
    if (transport === "http") await way.terminateSession().catch(() => {});
    await pause(wait); // and what is sent by and by is sent
  } catch (error) {
    seen.push(String(error));
  }
  await client.close().catch(() => {});
  await listener?.stop();
  return { seen, said: said + (listener?.said ?? "") };
}
