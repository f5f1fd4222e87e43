module github.com/umpire-mcp/umpire/spec

go 1.25.0

require github.com/umpire-mcp/umpire v0.0.0

require pgregory.net/rapid v1.3.0

replace github.com/umpire-mcp/umpire => ..
