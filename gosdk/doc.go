// Package gosdk watches a server built on the official Go SDK for the Model
// Context Protocol, github.com/modelcontextprotocol/go-sdk. The last of these
// three lines does it:
//
//	client := umpire.New(umpire.Options{Endpoint: "http://127.0.0.1:8787", Key: "ump_w_…"})
//	defer client.Close(context.Background())
//	gosdk.Watch(server, client)
//
// What flows in: every request that reaches the server's receiving middleware,
// with the result or the error that the handler gave. What flows out: one
// umpire.Event for each tools/call, judged by docs/outcomes.md, one for each
// change of what tools/list says, one for each handshake, and one for each
// resources/read and prompts/get, under the name that the server registered. All
// are handed to the umpire.Client.
//
// The package never changes a result or an error (but for the list of tools, with
// Options.AskIntent and Options.MissingTool), never swallows a panic
// (unless WithRecover asks for it), never panics by itself, and never holds up
// a call but for the flush before a process dies. What it does beside watching:
// it asks the server's own chain for tools/list after the first call, when a
// call fails, and with AskIntent once a second, and for the lists of resources and
// prompts when one is asked for that none of them held, at most once a second,
// without a byte on the wire. Middleware that was added before Watch
// sees those requests; if it is slow to answer them, it is asked so rarely that
// failing calls lose a hundredth of their time.
//
// What it cannot see: requests that the SDK refuses before its middleware runs
// (parameters that are no object, an unsupported protocol version), calls that
// were cancelled while still queued, the end of an HTTP stream unless the SDK's
// own PropagateRequestCancellation is on, panics in goroutines that a handler
// started, and answers of middleware that was added after Watch.
package gosdk
