package umpire

import (
	"errors"
	"io"
	"io/fs"
	"reflect"
	"runtime"
	"strconv"
	"strings"

	"github.com/umpire-mcp/umpire/redact"
)

// maxErrorType is the longest error_type (outcomes.md 5.1).
const maxErrorType = 64

// unnamed is the error_type of an error of which nothing but its text is known.
const unnamed = "error"

// errorName is error_type and error_status of a failure (outcomes.md 5.1, 5.2).
func (o *Observation) errorName(c *Call, said bool) (name string, status int) {
	switch {
	case o.Panicked:
		return panicName(o.PanicValue), 0
	case c.Cause == causeSchema || c.Cause == causeSchemaInTool && o.Err == nil && o.NamedType == "":
		return schemaName(c.BadParams), 0
	case c.Cause == causeInputUnavailable:
		return causeInputUnavailable, 0
	case o.RPC != nil && (c.Cause == causeRefused || c.Cause == causeProtocol):
		return "jsonrpc:" + strconv.FormatInt(o.RPC.Code, 10), 0
	case o.RPC != nil && !said && o.read() && (o.Ran == ranNo || o.RPC.Code == codeNotFound || o.RPC.Message == "Resource not found"):
		return "not_found", 0
	case o.RPC != nil && !said:
		return "", 0
	case o.Err != nil && c.Cause != causeOutputSchema:
		return goErrorName(o.Err)
	case o.IsError:
		name = givenName(o.NamedType)
		if name == "Error" { // says no more than isError does
			name = ""
		}
		return name, 0
	}
	return "", 0
}

func schemaName(params []BadParam) string {
	if len(params) == 0 {
		return ""
	}
	if params[0].Path == "" && params[0].Rule == "type" {
		return "schema:not_an_object"
	}
	return boundedName("schema:" + params[0].Rule)
}

// goErrorName walks the sources of 5.1 in their order.
func goErrorName(err error) (name string, status int) {
	defer func() {
		if recover() != nil {
			name, status = unnamed, 0
		}
	}()
	chain := unwrapped(err)
	if len(chain) == 0 {
		return unnamed, 0
	}
	status, carrier := statusOf(chain)
	if name := errorTypeName(chain); name != "" {
		return name, status
	}
	if status != 0 {
		return statusName(chain, carrier, status), status
	}
	if name := grpcName(chain); name != "" {
		return name, 0
	}
	if name := failureClass(chain); name != "" {
		return name, 0
	}
	for _, e := range chain {
		if !isWrapper(e) {
			return typeName(e), 0
		}
	}
	for _, s := range sentinels {
		if has(chain, s.err) {
			return s.name, 0
		}
	}
	if chain[len(chain)-1].Error() == "sql: no rows in result set" {
		return "sql.ErrNoRows", 0 // known by its text: database/sql is not to be linked in for its name
	}
	return unnamed, 0
}

// sentinels are errors that are told by identity, since their type says nothing.
var sentinels = []struct {
	err  error
	name string
}{
	{fs.ErrNotExist, "fs.ErrNotExist"},
	{fs.ErrExist, "fs.ErrExist"},
	{fs.ErrPermission, "fs.ErrPermission"},
	{fs.ErrClosed, "fs.ErrClosed"},
	{fs.ErrInvalid, "fs.ErrInvalid"},
	{io.ErrUnexpectedEOF, "io.ErrUnexpectedEOF"},
	{io.EOF, "io.EOF"},
	{io.ErrClosedPipe, "io.ErrClosedPipe"},
	{errors.ErrUnsupported, "errors.ErrUnsupported"},
}

// isWrapper reports whether e is one of the types with which the standard
// library wraps or makes errors, whose name therefore says nothing.
func isWrapper(e error) bool {
	if _, ok := e.(*bug); ok { //nolint:errorlint // the chain is walked by the caller
		return true // of our own, and it may have no name
	}
	t := reflect.TypeOf(e)
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.PkgPath() == "fmt" || t.PkgPath() == "errors"
}

// typeName is pkg.Type, without pointers and type arguments, bounded.
func typeName(v any) string {
	t := reflect.TypeOf(v)
	if t == nil {
		return "nil"
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	name, _, _ := strings.Cut(t.String(), "[")
	return boundedName(name)
}

// givenName makes a name of what the owner's code calls an error. It should be a
// fixed word; where it was made of a value, what redaction knows is taken out
// before the signs go by which it is known (outcomes.md 5.1: never a text).
func givenName(name string) string {
	return boundedName(redact.String(cutBytes(strings.TrimSpace(name), maxRedacted)))
}

// boundedName makes a name fit error_type: other characters become _, and what
// is too long is cut.
func boundedName(name string) string {
	name = cutBytes(strings.TrimSpace(name), maxErrorType)
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z', r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '_', r == '.', r == ':', r == '-':
			return r
		}
		return '_'
	}, name)
}

// panicName names what was recovered, never its text.
func panicName(value any) string {
	switch v := value.(type) {
	case nil:
		return "panic:goexit"
	case runtime.Error:
		text := errorText(v)
		for _, known := range runtimePanics {
			if strings.Contains(text, known.text) {
				return "panic:" + known.name
			}
		}
		return boundedName("panic:" + typeName(v))
	default:
		return boundedName("panic:" + typeName(v))
	}
}

// runtimePanics are the texts of the Go runtime, the same since Go 1.0 or so.
var runtimePanics = []struct{ text, name string }{
	{"nil pointer dereference", "nil_pointer"},
	{"index out of range", "index_out_of_range"},
	{"slice bounds out of range", "slice_bounds"},
	{"assignment to entry in nil map", "nil_map"},
	{"integer divide by zero", "divide_by_zero"},
	{"interface conversion", "type_assertion"},
	{"makeslice", "make_slice"},
	{"close of closed channel", "closed_channel"},
	{"send on closed channel", "closed_channel"},
}

// panicText is the text of what was recovered.
func panicText(value any) (text string) {
	defer func() {
		if recover() != nil {
			text = "a panic without a readable text"
		}
	}()
	switch v := value.(type) {
	case nil:
		return "the handler's goroutine ended (runtime.Goexit)"
	case error:
		return v.Error()
	case string:
		return v
	case interface{ String() string }:
		return v.String()
	default:
		// A struct or number is named, not printed: its fields are values of the server.
		return typeName(v)
	}
}
