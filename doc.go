// Package umpire records how every tools/call of an MCP server ended, as exactly
// one of four outcomes, and sends it to an Umpire server. It imports the
// standard library only.
//
// Most servers need three lines: New, an adapter's Watch, and Close.
//
//	client := umpire.New(umpire.Options{}) // UMPIRE_ENDPOINT, UMPIRE_KEY
//	defer client.Close(context.Background())
//	gosdk.Watch(server, client)
//
// What flows in: an Observation of each call, from an adapter (module gosdk, for
// the official SDK), the proxy or a door; Observation.Judge turns it into a Call
// by the rules of docs/outcomes.md, and is pure. What flows out: events in the
// form of docs/wire.md, in batches over HTTP.
//
// What it never does: panic, block the caller, write to stdout, install a signal
// handler, keep a goroutine after Close, or send arguments or results unless their
// owner turned that on: an error message may quote a value, and every free text is
// redacted before it leaves (package redact).
package umpire
