// A server with a tool for every outcome, on the MCP SDK for TypeScript 1.x.
//
//   node server.mjs          over stdio
//   node server.mjs PORT     over Streamable HTTP, with sessions, at /mcp

import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { isInitializeRequest, McpError } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";

const text = (text) => ({ content: [{ type: "text", text }] });
const both = (structuredContent) => ({ ...text(JSON.stringify(structuredContent)), structuredContent });

function build() {
  const server = new McpServer({ name: "outcomes", version: "1.0.0" });
  const tool = (name, config, handler) => server.registerTool(name, { description: `The outcome ${name}.`, ...config }, handler);

  tool("text", {}, () => text("The shelf holds 12 books."));
  tool("structured", { outputSchema: { books: z.number() } }, () => both({ books: 12 }));
  tool("empty_list", { outputSchema: { items: z.array(z.string()) } }, () => both({ items: [] }));
  tool("blank", {}, () => text(""));
  tool("take", { inputSchema: { count: z.number().int(), mode: z.enum(["read", "lend"]) } }, ({ count, mode }) => text(`${mode} ${count}`));
  tool("disabled", {}, () => text("never")).disable();
  tool("refuse", {}, () => ({ ...text("The shelf is locked."), isError: true }));
  tool("named", {}, () => ({ ...text("The shelf is locked."), isError: true, _meta: { "umpire/errorType": "ShelfLocked" } }));
  tool("refuse_code", {}, () => {
    throw new McpError(-32011, "closed on Mondays");
  });
  tool("throw", {}, () => {
    throw new Error("the ladder broke");
  });
  tool("bug", {}, () => text(undefined.title));
  tool("no_result", {}, () => undefined);
  tool("bad_output", { outputSchema: { books: z.number() } }, () => both({ books: "many" }));
  tool("slow", { inputSchema: { ms: z.number() } }, async ({ ms }, { signal }) => {
    await new Promise((done) => {
      const timer = setTimeout(done, ms);
      signal.addEventListener("abort", () => (clearTimeout(timer), done()));
    });
    return text("done at last");
  });
  tool("large", { inputSchema: { kib: z.number() } }, ({ kib }) => text("book ".repeat((kib * 1024) / 5)));
  tool("silent", {}, () => new Promise(() => {}));
  tool("exit", {}, () => process.exit(3));
  return server;
}

const port = process.argv[2];
if (!port) {
  await build().connect(new StdioServerTransport());
} else {
  const sessions = new Map();
  createServer(async (request, response) => {
    if (request.url !== "/mcp") return response.writeHead(404).end();
    let body;
    if (request.method === "POST") {
      const chunks = [];
      for await (const chunk of request) chunks.push(chunk);
      body = JSON.parse(Buffer.concat(chunks).toString());
    }
    let transport = sessions.get(request.headers["mcp-session-id"]);
    if (!transport && isInitializeRequest(body)) {
      transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (id) => sessions.set(id, transport),
      });
      await build().connect(transport);
    }
    if (!transport) return response.writeHead(404).end();
    await transport.handleRequest(request, response, body);
  }).listen(Number(port), "127.0.0.1");
}
