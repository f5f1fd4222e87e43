package views

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Tables that a statement may make by a function; no other one is called. Among those that are
// not are all that read files, print, log, or run a text as SQL.
var tableFunctions = []string{"range", "generate_series", "unnest", "repeat", "repeat_row", "json_each", "json_tree", "summary"}

// check lets through one statement that only reads. DuckDB's own parser says what it
// is, without running any part of it.
func check(ctx context.Context, conn *sql.Conn, statement string) error {
	var text string
	if err := conn.QueryRowContext(ctx, "SELECT json_serialize_sql($1::VARCHAR)::VARCHAR", statement).Scan(&text); err != nil {
		return err
	}
	var parsed struct {
		Error      bool              `json:"error"`
		Type       string            `json:"error_type"`
		Message    string            `json:"error_message"`
		Statements []json.RawMessage `json:"statements"`
	}
	if err := json.Unmarshal([]byte(text), &parsed); err != nil {
		return fmt.Errorf("cannot read the statement: %w", err)
	}
	switch {
	case parsed.Error && parsed.Type == "not implemented":
		return errors.New("only one SELECT is answered")
	case parsed.Error:
		return errors.New("Parser Error: " + parsed.Message) //nolint:staticcheck // as DuckDB has it
	case len(parsed.Statements) != 1:
		return errors.New("one SELECT is answered at a time")
	}
	var tree any
	if err := json.Unmarshal(parsed.Statements[0], &tree); err != nil {
		return fmt.Errorf("cannot read the statement: %w", err)
	}
	return checkTree(tree)
}

// checkTree looks for functions that make tables.
func checkTree(node any) error {
	switch n := node.(type) {
	case []any:
		for _, one := range n {
			if err := checkTree(one); err != nil {
				return err
			}
		}
	case map[string]any:
		if n["type"] == "TABLE_FUNCTION" {
			function, _ := n["function"].(map[string]any)
			name, _ := function["function_name"].(string)
			if !slices.Contains(tableFunctions, strings.ToLower(name)) {
				return fmt.Errorf("%.60q cannot be read from: the tables are %s, and %s make one", name, strings.Join(Names(), ", "), strings.Join(tableFunctions, ", "))
			}
		}
		for _, one := range n {
			if err := checkTree(one); err != nil {
				return err
			}
		}
	}
	return nil
}
