// play makes the calls of a scenario with a real client, and tells what passed.

import { Client as ClientV2 } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { pause } from "./process.mjs";
import { http, Recorder, stdio } from "./record.mjs";

// The SDK's validator warns of every format of a number that it does not know.
console.warn = () => {};

const patience = 400; // ms, of the steps "timeout" and "abort"
const newest = "2026-07-28";

function client(version) {
  const options = { capabilities: { elicitation: {} } };
  const info = { name: "umpire-interop", version: "1.0.0" };
  const answer = () => ({ action: "accept", content: { sure: true } });
  if (version === "v2") {
    const client = new ClientV2(info, { ...options, versionNegotiation: { mode: { pin: newest } } });
    client.setRequestHandler("elicitation/create", answer);
    return { client, call: (params, more) => client.callTool(params, more) };
  }
  const old = new ClientV1(info, options);
  old.setRequestHandler(ElicitRequestSchema, answer);
  return { client: old, call: (params, more) => old.callTool(params, undefined, more) };
}

// A way to a server: { stdio: { command, args, env, cwd } } or { url }.
export async function play(way, version, steps, stateless) {
  const recorder = new Recorder(stateless);
  const seen = [];
  const ends = [];
  const alone = steps.filter(({ how }) => how === "close" || how === "exit");
  const together = steps.filter((step) => !alone.includes(step));
  for (const group of [together, ...alone.map((step) => [step])]) {
    if (group.length > 0) ends.push(await connection(way, version, group, recorder, seen));
  }
  return { recorder, seen, ends };
}

async function connection(way, version, steps, recorder, seen) {
  const transport = way.url ? http(recorder, version, way.url) : stdio(recorder, version, way.stdio);
  const { client: mcp, call } = client(version);
  recorder.connection++;
  recorder.remark(`connection ${recorder.connection}: client ${version} over ${way.url ? "http" : "stdio"}${recorder.stateless ? ", stateless" : ""}`);
  try {
    await mcp.connect(transport, { timeout: 60_000 });
    await mcp.listTools();
  } catch (error) {
    throw new Error(`cannot connect: ${error.stack}\n${transport.said()}`);
  }
  for (const step of steps) {
    recorder.remark(`step ${step.name}`);
    seen.push({ step: step.name, seen: await one(call, mcp, step) });
    if (step.after) await pause(step.after);
  }
  await mcp.close().catch(() => {});
  await transport.settled?.();
  return transport.ended && (await Promise.race([transport.ended, pause(6000)]));
}

async function one(call, mcp, { tool, args, how }) {
  // Where the server dies over HTTP, a client may learn of it from its clock only.
  const options = { timeout: { timeout: patience, exit: 5000 }[how] ?? 60_000 };
  if (how === "abort") options.signal = AbortSignal.timeout(patience);
  if (how === "close") setTimeout(() => mcp.close().catch(() => {}), patience);
  try {
    const result = await call({ name: tool, arguments: args }, options);
    return result.isError === true ? "isError" : "result";
  } catch (error) {
    if (how) return how;
    return `error ${error.code ?? error.name}`;
  }
}
