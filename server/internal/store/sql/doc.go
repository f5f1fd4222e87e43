// Package sql holds the SQL of the store's questions, a file each, and fills it in.
//
// In: a Question. Out: a statement and the values bound to it, in the Dialect of an
// engine. A value never becomes part of a statement: the templates write
// placeholders, and the names that they splice (columns, tables) are constants of
// this package. The text of facts.sql is the one place that says what an event counts
// for; the rollups are its sums, and so a question gives the same answer from either.
//
// A statement is written once for DuckDB and ClickHouse: CTEs, window functions,
// QUALIFY, CASE, x::BIGINT, || and FILTER (WHERE …) are the same in both, and so are
// argMax(x, (a, b)) and count(DISTINCT x). What differs is a function of dialect.go:
// hourOf, halfHourOf, micros, wholes (division), idText, idArg, each (the texts of a
// JSON list), eachParam; a missing one is added there for both. Beware of: {…} structs
// and unnest (neither is in ClickHouse); lag and lead of what is not null (in ClickHouse
// ” stands before the first: lag(nullif(x, ”))); ORDER BY behind UNION ALL (wrap the
// union in a SELECT); x - y of two times (compare x with y + INTERVAL …); an alias is
// never preferred to a column of its name. Where all that does not do,
// <question>.clickhouse.sql stands in for <question>.sql. The names that statements
// read (events, tool_hours …) are tables in DuckDB and mostly views in ClickHouse.
//
// It never talks to a database.
package sql
