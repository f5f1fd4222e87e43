// Package store is what the server knows about events: the Store interface, the
// filter and the rows that its questions answer with.
//
// In: batches of judged events from the pipeline, in the order of the log. Out:
// counts, histograms and rows for package query. It never judges a call, never
// formats a number, and knows nothing of HTTP. The backends are the folders
// below (duckdb); the SQL of each question lies in sql/, a file each; storetest
// is the suite that every backend passes.
package store
