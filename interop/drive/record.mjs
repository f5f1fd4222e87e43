// Recorder notes what a client and a server say to each other: every frame of
// both directions as it was on the wire, in order. `umpire classify` reads what
// it writes; spec/corpus/recorded/README.md tells what a line is.

import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { StreamableHTTPClientTransport as HttpV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

export class Recorder {
  // stateless: over HTTP, the server keeps no sessions.
  constructor(stateless) {
    this.stateless = stateless;
  }

  lines = [];
  connection = 0;
  // What the client got, byte for byte: [{ what, bytes }].
  got = [];

  remark(text) {
    this.lines.push({ remark: text });
  }

  note(line, text) {
    this.lines.push({ line: { time: new Date().toISOString(), connection: String(this.connection), ...line }, text });
  }

  frame(from, text, more = {}) {
    if (text.trim() !== "") this.note({ from, ...more }, text);
  }

  toString() {
    return this.lines.map(({ remark, line, text }) => {
      if (remark) return `# ${remark}\n`;
      const json = JSON.stringify(line);
      if (text === undefined) return `${json}\n`;
      if (!isJSON(text) || text.trim().includes("\n")) return `# ${json.slice(0, -1)},"raw":${JSON.stringify(text)}}\n`;
      return `${json.slice(0, -1)},"message":${text.trim()}}\n`;
    }).join("");
  }
}

function isJSON(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

// lineCutter calls each with every whole line of a stream of chunks.
function lineCutter(each) {
  let rest = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (let end; (end = rest.indexOf(10)) >= 0; rest = rest.subarray(end + 1)) each(rest.subarray(0, end).toString());
  };
}

// stdio is the SDK's own transport, with an ear on the pipes of its child.
export function stdio(recorder, version, { command, args, env, cwd }) {
  const transport = new (version === "v2" ? StdioV2 : StdioV1)({ command, args, env, cwd, stderr: "pipe" });
  const said = [];
  transport.stderr.on("data", (chunk) => said.push(chunk));
  transport.said = () => Buffer.concat(said).toString();
  const [start, close] = [transport.start.bind(transport), transport.close.bind(transport)];
  transport.close = () => {
    transport.closing = true;
    return close();
  };
  transport.start = async () => {
    await start();
    const child = transport._process;
    const heard = lineCutter((line) => {
      recorder.frame("server", line);
      recorder.got.push({ what: "line", bytes: line });
    });
    child.stdout.on("data", heard);
    const write = child.stdin.write.bind(child.stdin);
    child.stdin.write = (data, ...rest) => {
      for (const line of String(data).split("\n")) recorder.frame("client", line);
      return write(data, ...rest);
    };
    transport.ended = new Promise((resolve) => child.on("close", (code, signal) => {
      recorder.note({ end: transport.closing ? "no_reply" : "process_exit" });
      recorder.remark(`the process ended: code ${code}, signal ${signal}`);
      resolve({ code, signal });
    }));
  };
  return transport;
}

// http is the SDK's own transport with a fetch that listens.
export function http(recorder, version, url) {
  let exchange = 0;
  const open = [];
  const listening = async (target, init = {}) => {
    const n = ++exchange;
    const protocol = new Headers(init.headers).get("mcp-protocol-version") ?? undefined;
    if (init.body) recorder.frame("client", String(init.body), { exchange: n, protocol });
    const entry = { what: "", bytes: "" }; // replies are kept in the order of their requests
    recorder.got.push(entry);
    let response;
    try {
      response = await fetch(target, init);
    } catch (error) {
      recorder.got.splice(recorder.got.indexOf(entry), 1);
      ended(recorder, n, init);
      throw error;
    }
    const type = response.headers.get("content-type") ?? "";
    entry.what = `${init.method ?? "GET"} ${response.status} ${type}`;
    if (!response.body) return response;
    const [ours, theirs] = response.body.tee();
    open.push(listen(recorder, ours, entry, { exchange: n, status: response.status }, type.startsWith("text/event-stream"), init));
    return new Response(theirs, { status: response.status, statusText: response.statusText, headers: response.headers });
  };
  const transport = new (version === "v2" ? HttpV2 : HttpV1)(new URL(url), { fetch: listening });
  transport.said = () => "";
  transport.settled = () => Promise.race([Promise.allSettled(open), new Promise((done) => setTimeout(done, 500))]);
  return transport;
}

// ended notes an exchange without an answer: the client closed it, or it broke.
function ended(recorder, exchange, init) {
  recorder.remark(`exchange ${exchange} ${init.signal?.aborted ? "closed by the client" : "broken"}`);
}

async function listen(recorder, body, entry, more, events, init) {
  let answers = 0;
  const cut = lineCutter((line) => {
    if (!line.startsWith("data:") || line.slice(5).trim() === "") return;
    answers++;
    recorder.frame("server", line.slice(5).trimStart(), more);
  });
  const decoder = new TextDecoder();
  try {
    for await (const chunk of body) {
      entry.bytes += decoder.decode(chunk, { stream: true });
      if (events) cut(Buffer.from(chunk));
    }
    if (!events) recorder.frame("server", entry.bytes, more);
    else if (answers === 0) recorder.remark(`exchange ${more.exchange} broken: the stream ended without an answer`);
  } catch (error) {
    entry.broken = true;
    ended(recorder, more.exchange, init);
  }
}
