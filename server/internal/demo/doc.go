// Package demo is a small bookshop with an MCP server of its own, clients that
// call it, and two weeks of made-up history: what `umpire demo` runs.
//
// In: the address and a write key of a running Umpire. Out: real tools/call
// traffic through the official SDK, watched by the adapter like anybody's server,
// and history posted through the native door. Everything it sends carries
// meta.demo = true. It never touches the store, and no figure on a page is made
// here: they are all counted from the events.
package demo
