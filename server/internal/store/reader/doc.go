// Package reader asks the questions of store.Reader of a database: it runs the
// statements of package sql in the database's dialect and reads their rows.
//
// In: a filter. Out: the rows of package store. Every backend embeds a Reader, so a
// question is written once: its method here, its statement in store/sql. It never
// writes, and never names a backend.
package reader
