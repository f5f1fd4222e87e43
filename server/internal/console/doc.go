// Package console writes the answers of package query for a terminal: what
// `umpire report` and `umpire demo` print.
//
// In: the plain structs of package query. Out: text of fixed columns, with
// colours only when the writer is told so. It asks no question itself and makes
// no number: package format writes them.
package console
