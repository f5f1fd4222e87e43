// Other vendors' SDKs against a real `umpire serve`: what is counted is what was
// called; and when Umpire is down, slow or full, the servers that they watch do not
// notice.
//
//   node run.mjs --umpire BINARY [--python INTERPRETER] [--posthog-go BINARY] [--only REGEXP]

import { execFileSync } from "node:child_process";
import { createServer } from "node:net";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { freePort, pause } from "../drive/process.mjs";
import { Umpire } from "../drive/umpire.mjs";
import { calls, play, wanted } from "./calls.mjs";

const { values: options } = parseArgs({
  options: {
    umpire: { type: "string" },
    python: { type: "string" },
    "posthog-go": { type: "string" },
    only: { type: "string", default: "" },
  },
});
const only = new RegExp(options.only);
const binary = resolve(options.umpire);

let faults = 0;
function fault(where, text) {
  faults++;
  console.error(`FAILED ${where}: ${text}`);
}
function equal(where, got, want) {
  for (const what of new Set([...Object.keys(want), ...Object.keys(got)])) {
    // A failure that has no name is called unknown, and not looked at.
    if (want[what] !== got[what] && !what.endsWith(" named unknown")) fault(where, `called ${want[what] ?? 0}, counted ${got[what] ?? 0}: ${what}`);
  }
}
async function timed(where, run) {
  if (!only.test(where)) return;
  const began = Date.now();
  try {
    await run();
  } catch (error) {
    fault(where, error.stack);
  }
  console.log(`${where}: ${((Date.now() - began) / 1000).toFixed(1)} s`);
}

const keys = {
  posthog: "phc_interop_0001",
  agentcat: "proj_interop_0001",
  mcpcat: "proj_interop_0002",
  amplitude: "amp_interop_0001",
};
const register = (umpire, project, key) =>
  execFileSync(binary, ["key", "add", "--data", umpire.data, "--project", project, "--foreign", key]);

// What each SDK sends is counted as it was called, under the key that it has. want are
// the calls where the SDK cannot show all of them.
async function counted(umpire, sdk, transport, { more = {}, want = calls, command } = {}) {
  const project = [sdk, transport, ...Object.keys(more), command ? "python" : ""].join("-").toLowerCase().replace(/[^a-z]+/g, "-");
  const key = `${keys[sdk]}_${project}`;
  register(umpire, project, key);
  const { seen, said } = await play({ WATCH: sdk, TO: umpire.url, KEY: key, ...more }, transport, calls, 1500, command);
  if (seen.length !== calls.length) fault(project, `the client saw ${seen.join("\n")}\n${said}`);
  equal(project, await umpire.counts(project, want.length), wanted(want));
}

// inPython is what each of the SDKs for Python shows of the calls. Where a handler was
// cancelled, most send nothing or say so.
function inPython(sdk) {
  const named = { boom: "RuntimeError", named_error: "KernelApiError404", strict: "schema:enum" };
  const other = {
    posthog: { strict: { named: "ValidationError" } },
    agentcat: { strict: { named: "ValidationError" } }, // it sends no tools/list
    amplitude: { boom: { named: undefined }, empty_list: { want: "ok" }, named_error: { want: "crashed thrown", named: undefined }, strict: { named: undefined } },
  };
  return calls
    .filter(({ abort }) => !abort || sdk === "mcpcat")
    .map((call) => ({ ...call, named: named[call.tool], ...(call.want !== "ok" && other[sdk]?.[call.tool]) }))
    .map((call) => (call.want === "ok" ? { ...call, named: undefined } : call))
    .concat(sdk === "amplitude" ? [{ want: "cancelled" }] : []);
}

// The watched server answers as one without an SDK does, whatever becomes of Umpire.
async function undisturbed(where, sdk, to, { wait = 3000, dies = false, HANDLED, command } = {}) {
  const list = calls.filter(({ tool }) => tool !== "slow");
  const bare = await play({ WATCH: "none" }, "stdio", list, 0, command);
  const env = { WATCH: sdk, TO: to, KEY: keys[sdk], ...(HANDLED && { HANDLED }) };
  const { seen, alive, said } = await play(env, "stdio", list, wait, command);
  if (dies) {
    // Not Umpire's doing, but its users must know: docs/migrate/agentcat.md says it.
    if (alive) fault(where, "the host lives on: the vendor has put it right, and docs/migrate/agentcat.md must say so");
    return;
  }
  if (!alive) fault(where, `the watched server has died\n${said.slice(-2000)}`);
  // agentcat for Python adds a text of its own to results, Umpire or not.
  const same = seen.map((one) => one.replace(/\{"type":"text","text":"\[session_id issued[^}]*\},?/, ""));
  if (JSON.stringify(same) !== JSON.stringify(bare.seen)) fault(where, `the client saw\n${same.join("\n")}\nand not\n${bare.seen.join("\n")}`);
}

// silent takes connections and never answers.
async function silent() {
  const sockets = new Set();
  const server = createServer((socket) => sockets.add(socket.on("error", () => {})));
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    stop: () => (sockets.forEach((socket) => socket.destroy()), server.close()),
  };
}

const umpire = await Umpire.start(binary);
try {
  for (const sdk of ["posthog", "agentcat", "mcpcat"]) {
    for (const transport of ["stdio", "http"]) await timed(`${sdk} ${transport}`, () => counted(umpire, sdk, transport));
  }
  await timed("posthog, one event a request", () => counted(umpire, "posthog", "stdio", { more: { FLUSH_AT: "1" } }));
  for (const sdk of options.python ? ["posthog", "agentcat", "mcpcat", "amplitude"] : []) {
    await timed(`${sdk} for Python`, () => counted(umpire, sdk, "stdio", { want: inPython(sdk), command: [resolve(options.python), "server.py"] }));
  }
  if (options["posthog-go"]) await timed("posthog for Go", () => byHand(umpire, resolve(options["posthog-go"])));
} finally {
  await umpire.stop();
}

// byHand is for the SDK for Go, which has no MCP server in it.
async function byHand(umpire, command) {
  register(umpire, "posthog-go", keys.posthog);
  execFileSync(command, [umpire.url, keys.posthog]);
  const want = calls.filter(({ tool }) => ["ok_tool", "empty_content", "refuse", "boom", "named_error"].includes(tool));
  const named = (call) => (call.tool === "boom" ? { ...call, named: "RangeError" } : call);
  equal("posthog-go", await umpire.counts("posthog-go", want.length), wanted(want.map(named)));
}

const nobody = `http://127.0.0.1:${await freePort()}`;
await timed("posthog, Umpire is down", () => undisturbed("posthog, down", "posthog", nobody));
for (const sdk of ["agentcat", "mcpcat"]) {
  const wait = 10_000; // they give up, and end their host, after 7 s
  await timed(`${sdk}, Umpire is down`, () => undisturbed(`${sdk}, down`, sdk, nobody, { wait, dies: true }));
  await timed(`${sdk}, Umpire is down, rejections are handled`, () => undisturbed(`${sdk}, down, handled`, sdk, nobody, { wait, HANDLED: "1" }));
}
const slow = await silent();
for (const sdk of options.python ? ["posthog", "agentcat", "mcpcat", "amplitude"] : []) {
  const command = [resolve(options.python), "server.py"];
  await timed(`${sdk} for Python, Umpire is down`, () => undisturbed(`${sdk} for Python, down`, sdk, nobody, { wait: 10_000, command }));
  await timed(`${sdk} for Python, Umpire is slow`, () => undisturbed(`${sdk} for Python, slow`, sdk, slow.url, { command }));
}
const full = await Umpire.start(binary, "--events-per-second", "1");
try {
  for (const sdk of ["posthog", "agentcat", "mcpcat"]) {
    register(full, "full", keys[sdk]);
    await timed(`${sdk}, Umpire is slow`, () => undisturbed(`${sdk}, slow`, sdk, slow.url));
    await timed(`${sdk}, the key is over its rate`, () => undisturbed(`${sdk}, full`, sdk, full.url));
  }
} finally {
  slow.stop();
  await full.stop();
}

await pause(100);
if (faults > 0) {
  console.error(`${faults} failed`);
  process.exit(1);
}
console.log("every door counted what was called, and nobody noticed an outage but where docs/migrate/agentcat.md says so");
