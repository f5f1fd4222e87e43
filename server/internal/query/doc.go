// Package query answers the product's questions: one file and one exported
// function a question. Every surface (pages, read API, command line, MCP tools,
// alerts) calls these functions and only formats what they return, so that no
// two surfaces can disagree about a number.
//
// In: a store.Reader and a Params. Out: plain structs with the JSON names of the
// read API (docs/wire.md). It never formats, never talks HTTP, and never names a
// backend.
package query
