// The calls that the servers of this folder are asked for, and what
// docs/outcomes.md makes of each, seen from outside. A server's server.json says
// where its SDK shows something else ("want", null where it cannot show it at
// all, and an empty list where HTTP turns the request away), for all of its runs or
// for one; in "how" which steps end otherwise, in "after" after which to wait longer.
// A server without sessions cannot take a call of another HTTP request back.
//
// how: "timeout" ends the client's patience, "abort" withdraws the call, "close"
// closes the session under it, "exit" ends the server. The last two have a
// connection of their own, at the end. after: ms to wait before the next step.

const ok = { kind: "call", outcome: "ok", empty: false };
const empty = { kind: "call", outcome: "ok", empty: true };
const badArgs = (cause) => ({ kind: "call", outcome: "bad_args", cause });
const toolError = (cause, more) => ({ kind: "call", outcome: "tool_error", cause, ...more });
const crashed = (cause) => ({ kind: "call", outcome: "crashed", cause });
const cancelled = { kind: "cancelled" };

export const scenario = [
  { name: "text", tool: "text", args: {}, want: ok },
  { name: "structured", tool: "structured", args: {}, want: ok },
  { name: "empty_list", tool: "empty_list", args: {}, want: empty },
  { name: "blank", tool: "blank", args: {}, want: empty },
  { name: "taken", tool: "take", args: { count: 2, mode: "read" }, want: ok },
  { name: "missing", tool: "take", args: { mode: "read" }, want: badArgs("schema") },
  { name: "wrong_type", tool: "take", args: { count: { dozen: 1 }, mode: "read" }, want: badArgs("schema") },
  { name: "coercible", tool: "take", args: { count: "2", mode: "read" }, want: badArgs("schema") },
  { name: "enum", tool: "take", args: { count: 2, mode: "keep" }, want: badArgs("schema") },
  { name: "extra", tool: "take", args: { count: 2, mode: "read", gently: true }, want: ok },
  { name: "no_object", tool: "take", args: "two books", want: badArgs("schema") },
  { name: "unknown", tool: "take_away", args: {}, want: badArgs("unknown_tool") },
  { name: "disabled", tool: "disabled", args: {}, want: badArgs("disabled_tool") },
  { name: "refuse", tool: "refuse", args: {}, want: toolError("result") },
  { name: "named", tool: "named", args: {}, want: toolError("result", { error_type: "ShelfLocked" }) },
  { name: "refuse_code", tool: "refuse_code", args: {}, want: toolError("refused", { error_type: "jsonrpc:-32011" }) },
  { name: "throw", tool: "throw", args: {}, want: toolError("result") },
  { name: "bug", tool: "bug", args: {}, want: crashed("thrown") },
  { name: "no_result", tool: "no_result", args: {}, want: crashed("no_result") },
  { name: "bad_output", tool: "bad_output", args: {}, want: crashed("output_schema") },
  { name: "large", tool: "large", args: { kib: 300 }, want: ok },
  { name: "ask", tool: "ask", args: {}, want: [{ kind: "round" }, ok] },
  { name: "timeout", tool: "slow", args: { ms: 1500 }, how: "timeout", want: crashed("timeout") },
  { name: "abort", tool: "slow", args: { ms: 1500 }, how: "abort", want: cancelled, after: 2000 },
  { name: "after", tool: "text", args: {}, want: ok },
  { name: "silent", tool: "silent", args: {}, how: "close", want: crashed("no_reply") },
  { name: "exit", tool: "exit", args: {}, how: "exit", want: crashed("process_exit") },
];

// Over HTTP the proxy sees streams that end, never a process; and the newest
// protocol withdraws a call by closing its stream, which gives no reason.
const overHTTP = { exit: crashed("no_reply"), silent: null };
const overNewestHTTP = { timeout: cancelled, silent: cancelled };

export function stepsFor(server, run) {
  const want = {
    ...(run.transport === "http" && overHTTP),
    ...(run.transport === "http" && run.client === "v2" && overNewestHTTP),
    ...(run.client === "v1" && { ask: null }),
    ...server.want,
    ...run.want,
  };
  const steps = server.scenario ?? scenario;
  return steps
    .map((step) => (step.name in want ? { ...step, want: want[step.name] } : step))
    .map((step) => ({ ...step, after: server.after?.[step.name] ?? step.after }))
    .map((step) => ({ ...step, how: run.how?.[step.name] ?? server.how?.[step.name] ?? step.how }))
    .filter((step) => step.want !== null);
}
