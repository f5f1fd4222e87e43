// Package duckdb is the store in one file, by the embedded database DuckDB: the
// default backend of one machine.
//
// In: batches of entries, applied by one goroutine, each in one transaction that
// holds the raw events, the rollup deltas they cause and the position of the log,
// so that a crash leaves either all of a batch or nothing of it. Out: rows, read
// over connections of their own that no writer blocks. Retries (outcomes.md 6.2)
// are decided here, where all of a session's calls meet.
//
// It never judges a call's outcome, and never lets another process write to the
// file: DuckDB locks it.
package duckdb
