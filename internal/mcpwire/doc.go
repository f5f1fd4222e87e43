// Package mcpwire judges an MCP server from the bytes that pass on its wire:
// JSON-RPC frames in, umpire.Events out, by the rules of outcomes.md.
//
// What flows in: the frames of each direction, cut from the stream by a
// LineCutter, EventCutter or BodyCutter, with the time at which each passed.
// What flows out: events to Config.Record, one for each tools/call, and the ids
// that the calls of a frame were given.
//
// A Watcher knows one server: what tools/list, the handshake and the sessions
// told. A Conversation is one stream in which the ids of requests are unique: the
// two pipes of a process, one HTTP session or, where there are no sessions, one
// HTTP request.
//
// The package has no clock and no goroutine, does no I/O, keeps no frame after it
// returned, never panics, and holds a bounded amount of memory whatever passes.
// Every method may be called from many goroutines.
package mcpwire
