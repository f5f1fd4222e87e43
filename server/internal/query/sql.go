package query

import "encoding/json"

// SQLAnswer is what a statement over the documented views says (docs/sql.md).
type SQLAnswer struct {
	Header
	SQLRows
}

// SQLRows are the rows of such an answer. A row has a value for each column, in their
// order; what JSON has no type for is a text.
type SQLRows struct {
	Columns []SQLColumn       `json:"columns"`
	Rows    []json.RawMessage `json:"rows"`
	// More: there are more rows than were asked for, or than an answer holds.
	More bool `json:"more"`
	// Notes say what the views lack of the range.
	Notes []string `json:"notes,omitempty"`
}

// SQLColumn is a column of the rows, with its type in DuckDB.
type SQLColumn struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// OfSQL is the answer to a statement under the parameters.
func OfSQL(p Params, rows SQLRows) SQLAnswer {
	if rows.Rows == nil {
		rows.Rows = []json.RawMessage{}
	}
	return SQLAnswer{p.header(), rows}
}
