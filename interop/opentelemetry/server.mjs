// One MCP server that is watched by OpenTelemetry or Sentry.
//
//   WATCH=… TO=URL KEY=… node server.mjs [PORT]
//
// Over stdio, or on PORT.

import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { z } from "zod";

const { WATCH, TO, KEY } = process.env;

let last = async () => {};

// watched returns what is done to a server before and after its tools are registered.
async function opentelemetry(form, options = {}) {
  const { OTLPTraceExporter } = await import(`@opentelemetry/exporter-trace-otlp-${form}`);
  const { NodeSDK } = await import("@opentelemetry/sdk-node");
  const traceExporter = new OTLPTraceExporter({ url: TO, headers: { authorization: `Bearer ${KEY}` }, ...options });
  const sdk = new NodeSDK({ traceExporter, instrumentations: [], serviceName: "interop-doors" });
  sdk.start();
  last = () => sdk.shutdown();
  const { trace, SpanKind, SpanStatusCode } = await import("@opentelemetry/api");
  const tracer = trace.getTracer("interop");
  return {
    after(server) {
      const handlers = server.server._requestHandlers;
      const inner = handlers.get("tools/call");
      // What any instrumentation by the semantic conventions does.
      handlers.set("tools/call", (request, extra) => {
        const { name, arguments: args } = request.params;
        const attributes = { "mcp.method.name": "tools/call", "gen_ai.tool.name": name, "gen_ai.operation.name": "execute_tool", "jsonrpc.request.id": String(extra.requestId), "gen_ai.tool.call.arguments": JSON.stringify(args ?? {}) };
        return tracer.startActiveSpan(`tools/call ${name}`, { kind: SpanKind.SERVER, attributes }, async (span) => {
          try {
            const result = await inner(request, extra);
            span.setAttribute("gen_ai.tool.call.result", JSON.stringify(result));
            if (result.isError) {
              span.setAttribute("error.type", "tool_error");
              span.setStatus({ code: SpanStatusCode.ERROR });
            }
            return result;
          } finally {
            span.end();
          }
        });
      });
    },
  };
}

async function sentry(module) {
  const Sentry = await import(module);
  const to = new URL(TO);
  Sentry.init({ dsn: `${to.protocol}//${KEY}@${to.host}/1`, tracesSampleRate: 1, environment: "test", release: "interop@1" });
  last = () => Sentry.close(4000);
  return { before: (server) => Sentry.wrapMcpServerWithSentry(server) };
}

const watch = await {
  "otlp-json": () => opentelemetry("http", { url: `${TO}/v1/traces` }),
  "otlp-proto": () => opentelemetry("proto", { url: `${TO}/v1/traces`, compression: "gzip" }),
  "otlp-grpc": async () => {
    const { Metadata, credentials } = await import("@grpc/grpc-js");
    const metadata = new Metadata();
    metadata.set("authorization", `Bearer ${KEY}`);
    return opentelemetry("grpc", { url: process.env.TO_GRPC, metadata, headers: undefined, credentials: credentials.createInsecure() });
  },
  shinzo: async () => {
    const { instrumentServer } = await import("@shinzolabs/instrumentation-mcp");
    return {
      before(server) {
        const seen = instrumentServer(server, { serverName: "interop-doors", serverVersion: "1.2.3", exporterEndpoint: `${TO}/v1`, exporterAuth: { type: "bearer", token: KEY } });
        last = () => seen.shutdown();
        return server;
      },
    };
  },
  "sentry-11": () => sentry("@sentry/node"),
  "sentry-10": () => sentry("@sentry/node-10"),
}[WATCH]();

const text = (text) => ({ content: [{ type: "text", text }] });

function build() {
  let server = new McpServer({ name: "interop-doors", version: "1.2.3" });
  server = watch.before?.(server) ?? server;
  // Shinzo sees the tools of the older way only.
  const tool = (name, inputSchema, handle) =>
    WATCH === "shinzo" ? server.tool(name, inputSchema, handle) : server.registerTool(name, { description: `The tool ${name}`, inputSchema }, handle);
  tool("ok_tool", { q: z.string().optional() }, async ({ q }) => text(`ok: ${q}`));
  tool("empty_list", {}, async () => ({ ...text("[]"), structuredContent: { items: [] } }));
  tool("empty_content", {}, async () => ({ content: [] }));
  tool("refuse", {}, async () => ({ ...text("the offer for max@example.com has expired"), isError: true }));
  tool("boom", {}, async () => {
    throw new Error("customer max@example.com not found");
  });
  tool("named_error", {}, async () => {
    throw Object.assign(new Error("404 no such session"), { name: "KernelApiError404" });
  });
  tool("strict", { colour: z.enum(["red", "green"]) }, async ({ colour }) => text(`painted ${colour}`));
  tool("slow", {}, async () => {
    await new Promise((done) => setTimeout(done, 700));
    return text("done");
  });
  watch.after?.(server);
  return server;
}

async function end() {
  await Promise.race([last(), new Promise((done) => setTimeout(done, 6000).unref())]);
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
