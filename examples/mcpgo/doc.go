// Command mcpgo is a small greenhouse for MCP clients, built on mcp-go and
// watched by Umpire. It shows the three lines that watching takes, and it has a
// tool for each way in which a call can end.
//
// What flows in: MCP requests, over standard input or Streamable HTTP. What
// flows out: answers, and events to the Umpire that UMPIRE_ENDPOINT and
// UMPIRE_KEY name. Without them it serves just the same. It keeps nothing: the
// beds are made up and live in memory.
package main
