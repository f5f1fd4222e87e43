// Package sql holds the SQL of the store's questions, a file each, and fills it in.
//
// In: a Question. Out: a statement and the values bound to it. A value never
// becomes part of a statement: the templates write placeholders, and the names
// that they splice (columns, tables) are constants of this package. The text of
// facts.sql is the one place that says what an event counts for; the rollups are
// its sums, and so a question gives the same answer from either.
//
// It never talks to a database.
package sql
