// Package views answers SQL over the documented views of one project (docs/sql.md).
//
// In: a statement, a project and a range. Out: a few rows. The rows that the
// statement may see are copied, out of whatever store there is, into a DuckDB in
// memory that a process of its own holds: one project's rows and nothing else, no
// files, no network, no settings, no environment. That process is stopped at the limit of time, and
// dies by itself at that of memory; the server that watches is never in its reach.
// It changes nothing, and never reads the store by the asker's SQL.
package views
