module github.com/umpire-mcp/umpire/server/test/engine

go 1.26.0

require (
	github.com/ClickHouse/ch-go v0.75.0
	github.com/ebitengine/purego v0.11.3
)

require (
	github.com/go-faster/city v1.0.1 // indirect
	github.com/go-faster/errors v0.8.0 // indirect
	github.com/klauspost/compress v1.20.3 // indirect
	github.com/pierrec/lz4/v4 v4.1.33 // indirect
)
