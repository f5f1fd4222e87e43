// Package duckdb is the store in one file, by the embedded database DuckDB: the
// default backend of one machine.
//
// In: batches of entries, applied by one goroutine. They go into tables in memory,
// and from there into the file in whole row groups, in one transaction with the
// rollup deltas they cause and the position of the log (docs/adr/0012), so that a
// crash leaves what the log can go on from. Out: rows of both parts, read over
// connections of their own that no writer blocks. Retries (outcomes.md 6.2) are
// decided here, where all of a session's calls meet.
//
// It never judges a call's outcome, and never lets another process write to the
// file: DuckDB locks it.
package duckdb
