// Command umpire-proxy is `umpire proxy` by itself: pure Go, for where the whole
// of Umpire is not wanted. It stands between an MCP client and an MCP server in
// any language, and sends an event for each tool call to an Umpire server.
//
// What flows in: a server's command, or its address. What flows out: the server's
// own bytes on stdout, and its exit code. It never writes anything else to stdout.
package main
