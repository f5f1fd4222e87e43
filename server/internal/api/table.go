package api

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/export"
	"github.com/umpire-mcp/umpire/server/internal/fault"
)

// tables are the routes that hold a list, by the field of the answer that it is: they
// can be had as CSV, NDJSON and Parquet.
var tables = map[string]string{
	"tools":            "tools",
	"clients":          "clients",
	"clients/versions": "versions",
	"insights":         "insights",
	"never-called":     "tools",
	"servers":          "servers",
	"releases":         "releases",
	"pairs":            "pairs",
	"empty":            "tools",
	"reported":         "tools",
	"unknown-tools":    "names",
	"errors":           "failures",
	"errors/next":      "failures",
	"errors/types":     "error_types",
	"bad-arguments":    "arguments",
	"definitions":      "definitions",
	"calls":            "calls",
	"sessions":         "sessions",
	"users":            "users",
	"intents":          "intents",
	"intents/missing":  "missing",
	"resources":        "resources",
	"prompts":          "prompts",
}

// field is one column of a table, and the way to it from a row.
type field struct {
	column export.Column
	path   []int
}

var (
	timeType   = reflect.TypeFor[time.Time]()
	textType   = reflect.TypeFor[encoding.TextMarshaler]()
	stringType = reflect.TypeFor[string]()
)

// fieldsOf are the columns of rows of a struct type: a field each, by its name in
// JSON. A struct within adds its own name in front (first_call_success_rate), a
// list is JSON.
func fieldsOf(row reflect.Type, prefix string, path []int) (fields []field) {
	for i := range row.NumField() {
		f := row.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		way := append(append([]int{}, path...), i)
		kind := f.Type
		if kind.Kind() == reflect.Pointer {
			kind = kind.Elem()
		}
		switch {
		case f.Anonymous && name == "" && kind.Kind() == reflect.Struct:
			fields = append(fields, fieldsOf(kind, prefix, way)...)
		case !f.IsExported() || name == "-" || name == "":
		case kind == timeType:
			fields = append(fields, field{export.Column{Name: prefix + name, Type: export.Time}, way})
		case kind.Implements(textType):
			fields = append(fields, field{export.Column{Name: prefix + name, Type: export.Text}, way})
		case kind.Kind() == reflect.Struct:
			fields = append(fields, fieldsOf(kind, prefix+name+"_", way)...)
		default:
			fields = append(fields, field{export.Column{Name: prefix + name, Type: typeOf(kind)}, way})
		}
	}
	return fields
}

func typeOf(kind reflect.Type) export.Type {
	switch kind.Kind() {
	case reflect.String:
		return export.Text
	case reflect.Int, reflect.Int64, reflect.Int32:
		return export.Integer
	case reflect.Float64:
		return export.Number
	case reflect.Bool:
		return export.Flag
	}
	return export.JSON
}

// value is what the row holds in the column; nil is not known.
func (f field) value(row reflect.Value) (any, error) {
	for _, i := range f.path {
		if row.Kind() == reflect.Pointer {
			if row.IsNil() {
				return nil, nil
			}
			row = row.Elem()
		}
		row = row.Field(i)
	}
	if row.Kind() == reflect.Pointer {
		if row.IsNil() {
			return nil, nil
		}
		row = row.Elem()
	}
	switch {
	case f.column.Type == export.JSON:
		if row.IsZero() {
			return nil, nil
		}
		return json.Marshal(row.Interface())
	case row.Type() == timeType:
		return row.Interface(), nil
	case row.Type().Implements(textType):
		text, err := row.Interface().(encoding.TextMarshaler).MarshalText()
		return string(text), err
	case row.Kind() == reflect.String:
		if row.Len() == 0 {
			return nil, nil // as JSON leaves it out
		}
		return row.Convert(stringType).Interface(), nil
	}
	return row.Interface(), nil
}

// listIn finds the list of that name in JSON in an answer. Its second result is false
// for a list that is null.
func listIn(answer any, name string) (reflect.Value, bool) {
	list, found := fieldIn(reflect.ValueOf(answer), name)
	if !found || list.Kind() != reflect.Slice {
		panic(fmt.Sprintf("BUG: %T has no list %q", answer, name))
	}
	return list, !list.IsNil()
}

// nextIn is the cursor of the next part in an answer; empty at the end, and where
// there are no parts.
func nextIn(answer any) string {
	next, found := fieldIn(reflect.ValueOf(answer), "next")
	if !found {
		return ""
	}
	if s, ok := next.Interface().(*string); ok && s != nil {
		return *s
	}
	return ""
}

// fieldIn finds the field of that name in JSON, those of embedded structs last.
func fieldIn(v reflect.Value, name string) (reflect.Value, bool) {
	for i := range v.NumField() {
		if tag, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ","); tag == name {
			return v.Field(i), true
		}
	}
	for i := range v.NumField() {
		if v.Type().Field(i).Anonymous && v.Field(i).Kind() == reflect.Struct {
			if f, found := fieldIn(v.Field(i), name); found {
				return f, true
			}
		}
	}
	return reflect.Value{}, false
}

var errNotKept = fault.New(fault.BadRequest, "this list needs single events, and those of the range are not all kept any more", "begin the range later")
