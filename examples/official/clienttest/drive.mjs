// Drives the example server with the MCP SDK for TypeScript, a client that
// others wrote. It makes a fixed round of calls and prints one JSON line for
// each: what was called, and what an observer of the server must have made of it.
//
//   node drive.mjs http://127.0.0.1:8080/mcp [rounds]
//   node drive.mjs ./official [rounds] [-- arguments of the server]
//
// A line is {"n", "kind", "tool", "outcome", "empty", "cause", "error_type"}.
// kind is "call" or "cancelled"; a cancelled call has no outcome. The last line
// is {"calls", "slices": {ok, empty, bad_args, tool_error, crashed}, "cancelled"}.
// The exit code is 1 when the server answers otherwise than it should.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

// What the client must see: "result", "isError", or the code of a JSON-RPC error.
const round = [
  // First, because the SDK sends the cancellation behind the caller's back, and
  // closing at once would lose it.
  ["count_depot", { shelves: 600 }, "timeout", { outcome: "crashed", cause: "timeout" }],
  ["count_depot", { shelves: 600 }, "abort", { kind: "cancelled" }],
  ["track_parcel", { number: "PX-1001" }, "result", { outcome: "ok" }],
  ["track_parcel", { number: "px-1002" }, "result", { outcome: "ok" }],
  ["list_parcels", { city: "Lisbon" }, "result", { outcome: "ok" }],
  ["quote_price", { weight_kg: 2.5, speed: "express" }, "result", { outcome: "ok" }],
  ["cancel_parcel", { number: "PX-1003" }, "result", { outcome: "ok" }],
  ["print_label", { number: "PX-1001" }, "result", { outcome: "ok" }],
  ["count_depot", { shelves: 0 }, "result", { outcome: "ok" }],
  ["list_parcels", { city: "Ulm" }, "result", { outcome: "ok", empty: true }],
  ["quote_price", { weight_kg: 2.5 }, "isError", { outcome: "bad_args", cause: "schema", error_type: "schema:required" }],
  ["quote_price", { weight_kg: 31, speed: "standard" }, "isError", { outcome: "bad_args", cause: "schema", error_type: "schema:range" }],
  ["quote_price", { weight_kg: 1, speed: "fast" }, "isError", { outcome: "bad_args", cause: "schema", error_type: "schema:enum" }],
  ["track_parcels", { number: "PX-1001" }, -32602, { outcome: "bad_args", cause: "unknown_tool" }],
  ["track_parcel", { number: "PX-9" }, "isError", { outcome: "tool_error", cause: "returned", error_type: "ParcelNotFound" }],
  ["cancel_parcel", { number: "PX-1002" }, "isError", { outcome: "tool_error", cause: "result", error_type: "AlreadyDelivered" }],
  ["print_label", { number: "PX-1004" }, 0, { outcome: "crashed", cause: "output_schema" }],
];

const [target, ...rest] = process.argv.slice(2);
const dashes = rest.indexOf("--");
const own = dashes < 0 ? rest : rest.slice(0, dashes);
const serverArgs = dashes < 0 ? [] : rest.slice(dashes + 1);
const rounds = Number(own[0] ?? 1);
if (!target || !Number.isInteger(rounds) || rounds < 1) {
  console.error("usage: node drive.mjs URL|COMMAND [rounds] [-- arguments of the server]");
  process.exit(2);
}

const transport = /^https?:/.test(target)
  ? new StreamableHTTPClientTransport(new URL(target))
  : new StdioClientTransport({ command: target, args: serverArgs, env: { ...process.env }, stderr: "inherit" });
const client = new Client({ name: "parcel-driver", version: "1.0.0" });
await client.connect(transport);
await client.listTools();

// call makes one call and tells how it ended, as the client saw it.
async function call(name, args, expected) {
  const options = {};
  if (expected === "timeout") options.timeout = 150;
  if (expected === "abort") options.signal = AbortSignal.timeout(150);
  try {
    const result = await client.callTool({ name, arguments: args }, undefined, options);
    return result.isError === true ? "isError" : "result";
  } catch (error) {
    if (error.code === -32001 && expected === "timeout") return "timeout";
    if (options.signal?.aborted) return "abort";
    return error.code;
  }
}

const slices = { ok: 0, empty: 0, bad_args: 0, tool_error: 0, crashed: 0 };
let n = 0;
let cancelled = 0;
let wrong = 0;
for (let i = 0; i < rounds; i++) {
  for (const [tool, args, expected, truth] of round) {
    const seen = await call(tool, args, expected);
    if (seen !== expected) {
      console.error(`${tool}(${JSON.stringify(args)}): the client saw ${seen}, not ${expected}`);
      wrong++;
    }
    const line = { n: ++n, kind: "call", tool, empty: false, ...truth };
    if (line.kind === "cancelled") cancelled++;
    else slices[line.empty ? "empty" : line.outcome]++;
    console.log(JSON.stringify(line));
  }
}
console.log(JSON.stringify({ calls: n - cancelled, slices, cancelled }));
await client.close();
process.exit(wrong ? 1 : 0);
