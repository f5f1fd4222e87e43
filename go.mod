module github.com/umpire-mcp/umpire

go 1.25.0
