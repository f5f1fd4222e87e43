// A server with a tool for every outcome, on the MCP SDK for TypeScript 2.x.
//
//   node server.mjs          over stdio
//   node server.mjs PORT     over Streamable HTTP, without sessions, at /mcp

import { createServer } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, inputRequired, McpServer, ProtocolError } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const text = (text) => ({ content: [{ type: "text", text }] });
const both = (structuredContent) => ({ ...text(JSON.stringify(structuredContent)), structuredContent });

function build() {
  const server = new McpServer({ name: "outcomes", version: "1.0.0" });
  const tool = (name, config, handler) => server.registerTool(name, { description: `The outcome ${name}.`, ...config }, handler);

  tool("text", {}, () => text("The shelf holds 12 books."));
  tool("structured", { outputSchema: z.object({ books: z.number() }) }, () => both({ books: 12 }));
  tool("empty_list", { outputSchema: z.object({ items: z.array(z.string()) }) }, () => both({ items: [] }));
  tool("blank", {}, () => text(""));
  tool("take", { inputSchema: z.object({ count: z.number().int(), mode: z.enum(["read", "lend"]) }) }, ({ count, mode }) => text(`${mode} ${count}`));
  tool("disabled", {}, () => text("never")).disable();
  tool("refuse", {}, () => ({ ...text("The shelf is locked."), isError: true }));
  tool("named", {}, () => ({ ...text("The shelf is locked."), isError: true, _meta: { "umpire/errorType": "ShelfLocked" } }));
  tool("refuse_code", {}, () => {
    throw new ProtocolError(-32011, "closed on Mondays");
  });
  tool("throw", {}, () => {
    throw new Error("the ladder broke");
  });
  tool("bug", {}, () => text(undefined.title));
  tool("no_result", {}, () => undefined);
  tool("bad_output", { outputSchema: z.object({ books: z.number() }) }, () => both({ books: "many" }));
  tool("slow", { inputSchema: z.object({ ms: z.number() }) }, async ({ ms }, context) => {
    await new Promise((done) => {
      const timer = setTimeout(done, ms);
      context.mcpReq.signal.addEventListener("abort", () => (clearTimeout(timer), done()));
    });
    return text("done at last");
  });
  tool("large", { inputSchema: z.object({ kib: z.number() }) }, ({ kib }) => text("book ".repeat((kib * 1024) / 5)));
  tool("ask", {}, (context) => {
    if (context.mcpReq.inputResponses?.sure) return text("lent");
    const requestedSchema = { type: "object", properties: { sure: { type: "boolean" } }, required: ["sure"] };
    return inputRequired({ inputRequests: { sure: inputRequired.elicit({ message: "Lend the last book?", requestedSchema }) } });
  });
  tool("silent", {}, () => new Promise(() => {}));
  tool("exit", {}, () => process.exit(3));
  return server;
}

const port = process.argv[2];
if (port) createServer(toNodeHandler(createMcpHandler(build))).listen(Number(port), "127.0.0.1");
else serveStdio(build);
