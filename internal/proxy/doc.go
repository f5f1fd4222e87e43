// Package proxy carries the traffic between an MCP client and an MCP server of
// any language, and lets a Tap see a copy of it. It has two relays: Stdio starts
// a server's command and stands between its pipes and the client's; HTTP is a
// reverse proxy in front of a server's Streamable HTTP address.
//
// What flows in: bytes of both sides. What flows out: the same bytes, in the same
// order, and beside them copies to the Tap, behind a bounded queue on a goroutine
// of its own. Watch is the Tap that makes events of them, with internal/mcpwire.
//
// What it never does: change, hold back or reorder bytes; wait for the Tap; write
// to stdout anything but the server's own bytes; record an HTTP header; let a
// panic of the Tap end a relay. When the queue is full the copies are dropped and
// counted, never the traffic.
package proxy
