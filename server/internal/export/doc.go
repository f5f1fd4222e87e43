// Package export writes tables as files that other programs read: CSV for
// spreadsheets, NDJSON for scripts, Parquet for DuckDB, ClickHouse and pandas.
//
// In: the columns, then the rows, one after the other. Out: the bytes, as they come:
// no format holds more than a part of the table in memory. It knows neither what a
// column means nor where the rows come from.
//
// What is not known is nil, in every column: nothing between two commas in CSV, null
// in NDJSON and Parquet. In CSV a text that a spreadsheet would take for a formula
// (it begins with = + - @, a tab, a line feed or a carriage return) gets an apostrophe
// in front: whoever sends events chooses such texts. The other two formats hold every
// text as it is.
package export
