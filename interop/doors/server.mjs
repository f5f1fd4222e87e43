// One MCP server with another vendor's SDK in it, or with none.
//
//   WATCH=posthog|agentcat|mcpcat|none TO=URL KEY=… node server.mjs [PORT]
//
// Over stdio, or on PORT. HANDLED=1 keeps rejections that nobody handles from ending
// the process.

import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { z } from "zod";

const { WATCH, TO, KEY, HANDLED, FLUSH_AT } = process.env;
if (HANDLED) process.on("unhandledRejection", (reason) => console.error(`not ended by: ${reason}`));

let last = async () => {};
const watch = await {
  none: async () => () => {},
  posthog: async () => {
    const { PostHog } = await import("posthog-node");
    const { instrument } = await import("@posthog/mcp");
    const posthog = new PostHog(KEY, { host: TO, ...(FLUSH_AT && { flushAt: Number(FLUSH_AT) }) });
    last = () => posthog.shutdown();
    return (server) => instrument(server, posthog);
  },
  agentcat: async () => {
    const { track } = await import("agentcat");
    return (server) => track(server, KEY, { apiBaseUrl: TO, disableDiagnostics: true });
  },
  mcpcat: async () => {
    const { track } = await import("mcpcat");
    return (server) => track(server, KEY, { apiBaseUrl: TO, disableDiagnostics: true });
  },
}[WATCH]();

const text = (text) => ({ content: [{ type: "text", text }] });

function build() {
  const server = new McpServer({ name: "interop-doors", version: "1.2.3" });
  watch(server);
  const tool = (name, inputSchema, handle) => server.registerTool(name, { description: `The tool ${name}`, inputSchema }, handle);
  tool("ok_tool", { q: z.string().optional() }, ({ q }) => text(`ok: ${q}`));
  tool("empty_list", {}, () => ({ ...text("[]"), structuredContent: { items: [] } }));
  tool("empty_content", {}, () => ({ content: [] }));
  tool("refuse", {}, () => ({ ...text("the offer for max@example.com has expired"), isError: true }));
  tool("boom", {}, () => {
    throw new Error("customer max@example.com not found");
  });
  tool("named_error", {}, () => {
    throw Object.assign(new Error("404 no such session"), { name: "KernelApiError404" });
  });
  tool("strict", { colour: z.enum(["red", "green"]) }, ({ colour }) => text(`painted ${colour}`));
  tool("slow", {}, async () => {
    await new Promise((done) => setTimeout(done, 700));
    return text("done");
  });
  return server;
}

async function end() {
  await Promise.race([last(), new Promise((done) => setTimeout(done, 5000).unref())]);
  process.exit(0);
}
process.on("SIGTERM", end);

if (process.argv[2]) {
  const sessions = new Map();
  createServer(async (req, res) => {
    let transport = sessions.get(req.headers["mcp-session-id"]);
    if (!transport) {
      transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (id) => sessions.set(id, transport),
      });
      await build().connect(transport);
    }
    await transport.handleRequest(req, res);
  }).listen(Number(process.argv[2]), "127.0.0.1");
} else {
  process.stdin.on("end", end);
  await build().connect(new StdioServerTransport());
}
