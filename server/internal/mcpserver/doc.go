// Package mcpserver answers an agent's questions over MCP: which of my tools
// fail, for whom, and why? It is a surface like the pages: it asks the read API
// and shapes what it says, small enough for a model to read.
//
// In: tools/call with the filters of the read API as arguments. Out: structured
// content with the names of the read API, cut to a few rows, and the same as
// text; a refusal says what is wrong and what is near. It computes no figure,
// writes nothing, and never sees more than the key of the request may read: it
// passes that key on.
package mcpserver
