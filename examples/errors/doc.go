// Command errors is a small help desk for MCP clients. Its tools ask two services
// over HTTP, and what goes wrong on the way has a name in Umpire: one line in
// each tool does it.
//
// What flows in: MCP requests over standard input, and the addresses of the two
// services. What flows out: answers, requests to the services, and events to the
// Umpire that UMPIRE_ENDPOINT and UMPIRE_KEY name. It keeps nothing.
package main
