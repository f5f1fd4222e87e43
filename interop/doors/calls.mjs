// The calls of the live tests, what docs/outcomes.md makes of each, and a client that
// makes them.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { freePort, Listener, pause } from "../drive/process.mjs";

export const calls = [
  { tool: "ok_tool", args: { q: "weather for max@example.com" }, want: "ok" },
  { tool: "empty_list", want: "empty" },
  { tool: "empty_content", want: "empty" },
  { tool: "refuse", want: "tool_error result" },
  { tool: "boom", want: "crashed thrown" },
  { tool: "named_error", want: "tool_error returned", named: "KernelApiError404" },
  { tool: "strict", args: { colour: "red" }, want: "ok" },
  { tool: "strict", args: { colour: "max@example.com" }, want: "bad_args schema", named: "schema:enum" },
  { tool: "no_such_tool", want: "bad_args unknown_tool" },
  { tool: "slow", want: "ok" },
  { tool: "slow", want: "ok", abort: true }, // no SDK tells that its client had gone
];

export function wanted(list = calls) {
  const counts = {};
  const add = (what) => (counts[what] = (counts[what] ?? 0) + 1);
  for (const { tool, want, named } of list) {
    add(tool ? `${tool} ${want}` : want);
    if (named) add(`${tool} named ${named}`);
  }
  return counts;
}

// play starts the server that command names, makes the calls and ends it. It returns what the client saw
// of each call, whether the server was alive when all were made, and what it said.
export async function play(env, transport, list = calls, wait = 0, command = ["node", "server.mjs"]) {
  const folder = new URL(".", import.meta.url).pathname;
  const client = new Client({ name: "interop-driver", version: "0.9.0" });
  let way, listener;
  let said = "";
  let alive = true;
  if (transport === "http") {
    const port = await freePort();
    listener = new Listener([...command, String(port)], { env: { ...process.env, ...env }, cwd: folder, port });
    await listener.ready();
    way = new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`));
  } else {
    way = new StdioClientTransport({ command: command[0], args: command.slice(1), cwd: folder, env: { ...process.env, ...env }, stderr: "pipe" });
    way.stderr.on("data", (chunk) => (said += chunk));
  }
  client.onclose = () => (alive = false);
  const seen = [];
  try {
    await client.connect(way);
    await client.listTools();
    for (const call of list) seen.push(await one(client, call));
  } catch (error) {
    seen.push(String(error));
  }
  await pause(wait);
  if (listener) alive = !listener.over;
  const lived = alive;
  await client.close().catch(() => {});
  await listener?.stop();
  return { seen, alive: lived, said: said + (listener?.said ?? "") };
}

const hung = 5000; // ms: nothing that is called here takes as long

async function one(client, { tool, args = {}, abort }) {
  const options = { timeout: hung };
  if (abort) options.signal = AbortSignal.timeout(200);
  try {
    const result = await client.callTool({ name: tool, arguments: args }, undefined, options);
    if (abort) return "answered";
    return JSON.stringify(result);
  } catch (error) {
    return abort ? "aborted" : String(error);
  } finally {
    if (abort) await pause(800); // the handler ends nevertheless
  }
}
