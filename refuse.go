package umpire

import (
	"reflect"
	"strconv"
	"strings"
)

// Refuse gives err a name, and thereby says that it is an expected one: the call
// counts as tool_error under that name (outcomes.md 2.5), whichever SDK and kind
// of tool it is returned from. Nothing else changes: the text of the error stays
// as it is to the byte, and errors.Is and errors.As see through.
//
//	if in.Query == "" {
//		return nil, out, umpire.Refuse("missing_argument", errors.New("query is empty"))
//	}
//
// A name is a fixed word of at most 64 characters out of A-Z a-z 0-9 _ . : -,
// and never a value. Any will do; these are the ones that other servers use, so
// that the same guard has the same name everywhere: missing_argument,
// conflicting_arguments, invalid_config, not_found.
//
// A nil err stays nil. Without a name, err is returned as it is. So is a
// *jsonrpc.Error of the official SDK, which tells it by its type and would
// answer otherwise if it were wrapped.
func Refuse(name string, err error) error {
	name = givenName(name)
	if err == nil || name == "" || isProtocolError(err) {
		return err
	}
	return &refusal{err: err, name: name}
}

// Bug declares that err must never happen: the call counts as crashed under
// name, although the model may have been shown an error result (outcomes.md
// 2.5). The text stays as it is, as with Refuse. Without a name, the error is
// named by its chain (outcomes.md 5.1).
func Bug(name string, err error) error {
	if err == nil || isProtocolError(err) {
		return err
	}
	return &bug{refusal{err: err, name: givenName(name)}}
}

// Upstream turns the failure of a call that the tool made, to an API or a
// database, into a refusal with the name that fits it:
//
//	issue, _, err := github.Issues.Get(ctx, owner, repo, n)
//	if err != nil {
//		return nil, out, umpire.Upstream(err)
//	}
//
// The name is the one of outcomes.md 5.1: what the error calls itself, its HTTP
// status (github.ErrorResponse:404), its gRPC code (grpc:NotFound), timeout,
// connection_refused, connection_reset, dns, tls, connection, context.Canceled,
// or its type; upstream when nothing is known. A client that gives back a
// response and no error has its status named beside an error of your own, which
// makes http:502 of
//
//	umpire.Upstream(fmt.Errorf("the tracker answered %s", resp.Status), resp.StatusCode)
//
// The text stays as it is, as with Refuse, and nil stays nil. A bug on the chain
// (runtime.Error) stays a bug.
func Upstream(err error, status ...int) error {
	if err == nil || isProtocolError(err) {
		return err
	}
	name, known := goErrorName(err)
	for _, s := range status {
		if known == 0 && errorTypeName(unwrapped(err)) == "" {
			if known = failingStatus(s); known != 0 {
				name = "http:" + strconv.Itoa(known)
			}
		} else if known == 0 {
			known = failingStatus(s)
		}
	}
	if name == unnamed {
		name = "upstream"
	}
	return &upstream{refusal{err: err, name: name}, known}
}

// refusal is an error with a name.
type refusal struct {
	err  error
	name string
}

func (r *refusal) Error() string { return r.err.Error() }
func (r *refusal) Unwrap() error { return r.err }

// MCPErrorType is the name (docs/sdk/outcomes.md).
func (r *refusal) MCPErrorType() string { return r.name }

// bug is an error that must never happen.
type bug struct{ refusal }

// MCPOutcome says so (docs/sdk/outcomes.md).
func (*bug) MCPOutcome() string { return string(Crashed) }

// upstream is the failure of something that the tool asked.
type upstream struct {
	refusal
	status int
}

// HTTPStatusCode is the status of the answer, or 0.
func (u *upstream) HTTPStatusCode() int { return u.status }

// isProtocolError reports whether err itself is the object that the official
// SDK sends as a JSON-RPC error. It compares the type, so a wrapper would turn
// the error into a result (outcomes.md 2.9). The root cannot import the SDK; a
// test of gosdk fails when the type moves.
func isProtocolError(err error) bool {
	t := reflect.TypeOf(err)
	if t.Kind() != reflect.Pointer {
		return false
	}
	t = t.Elem()
	return t.Name() == "WireError" && strings.HasPrefix(t.PkgPath(), "github.com/modelcontextprotocol/go-sdk/")
}
