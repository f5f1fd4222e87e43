// Package bench measures the server from outside: durable ingest over HTTP. It
// holds benchmarks only, run by `make bench`.
package bench
