module github.com/umpire-mcp/umpire/server

go 1.26.0

require github.com/umpire-mcp/umpire v0.0.0

replace github.com/umpire-mcp/umpire => ..
