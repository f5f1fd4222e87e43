// Package adapter holds what the adapters for MCP SDKs share: tables that keep
// nothing alive, what a request's metadata says, and what is known of a server's
// tools, resources and prompts.
//
// What flows in: facts that an adapter took from its SDK, as plain Go values.
// What flows out: the same facts in the form of an umpire.Event, and catalog
// and session events to the umpire.Client. The package knows no SDK, judges nothing and
// imports the root package and the standard library only.
package adapter
