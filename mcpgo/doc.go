// Package mcpgo watches a server built on github.com/mark3labs/mcp-go. The last
// of these three lines does it:
//
//	client := umpire.New(umpire.Options{Endpoint: "http://127.0.0.1:8787", Key: "ump_w_…"})
//	defer client.Close(context.Background())
//	mcpgo.Watch(server, client)
//
// What flows in: each tools/call, by the server's hooks, which see how it was
// answered, and by a middleware around its handler, which sees whether it ran
// and what it gave back. The hooks leave a mark in the request by which the
// middleware finds the call again. What flows out: one umpire.Event for each
// tools/call, judged by docs/outcomes.md, one for each change of what tools/list
// says, one for each handshake, and one for each resources/read and prompts/get,
// under the name that the server registered. All are handed to the umpire.Client.
//
// The package never changes a result or an error (but for the list of tools, with
// Options.AskIntent and Options.MissingTool), never swallows a panic
// (unless WithRecover asks for it), never panics by itself, and never holds up
// a call but for the flush before a process may die. The server's own hooks
// stay. Nothing here asks the server anything over the protocol.
//
// What it cannot see: why a client cancelled, so that one that waited in vain
// counts as cancelled, too; requests that OnRequestInitialization refuses, and
// those that a transport refuses before; calls that a stdio server drops from
// its queue when its input ends; panics in goroutines that a handler started;
// the value of a panic in middleware that was added before Watch; how a task
// ends whose tool was added with AddTaskTool: the answer to its call is judged,
// which is that the task was created.
package mcpgo
