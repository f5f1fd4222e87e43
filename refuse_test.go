package umpire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strings"
	"testing"
)

// wrappers are the ways in which an author can say something about an error.
var wrappers = map[string]func(error) error{
	"Refuse":        func(err error) error { return Refuse("quota", err) },
	"Refuse, blank": func(err error) error { return Refuse(" ", err) },
	"Bug":           func(err error) error { return Bug("ledger_mismatch", err) },
	"Bug, unnamed":  func(err error) error { return Bug("", err) },
	"Upstream":      func(err error) error { return Upstream(err) },
	"Upstream, 502": func(err error) error { return Upstream(err, 502) },
}

// What the model reads is what the error says, to the byte (outcomes.md 2.9).
func TestWrappersChangeNoText(t *testing.T) {
	path := &fs.PathError{Op: "open", Path: "x", Err: fs.ErrNotExist}
	for _, err := range []error{
		errors.New(""), errors.New("  ends in blanks \n"), errors.New("no \xff\x00 such"), path, fmt.Errorf("deep: %w", path),
		errors.Join(errors.New("one"), path), &statusError{404}, &namedError{"own"},
		genericError[int]{},
	} {
		for name, wrap := range wrappers {
			got := wrap(err)
			if got.Error() != err.Error() {
				t.Errorf("%s changes %q into %q", name, err, got)
			}
			var asPath *fs.PathError
			if errors.As(got, &asPath) != errors.As(err, new(*fs.PathError)) || errors.Is(got, fs.ErrNotExist) != errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s hides what %#v is", name, err)
			}
		}
	}
	for name, wrap := range wrappers {
		if got := wrap(nil); got != nil {
			t.Errorf("%s makes an error of nil: %v", name, got)
		}
		if got := wrap(&hostileError{}); got == nil {
			t.Errorf("%s loses an error whose methods panic", name)
		}
		if got := wrap(&cyclicError{}); got == nil {
			t.Errorf("%s loses an error that wraps itself", name)
		}
	}
}

// outcomes.md 2.5: what the wrappers say, by way of both kinds of tools.
func TestWrappersSay(t *testing.T) {
	plain, bug := errors.New("no"), runtimeError()
	syntax := json.Unmarshal([]byte("{"), new(int))
	for _, tt := range []struct {
		name   string
		in     error
		want   Outcome // "" when it says nothing
		typ    string
		status int
	}{
		{"a guard", Refuse("missing_argument", plain), ToolError, "missing_argument", 0},
		{"around and inside", fmt.Errorf("a: %w", Refuse("conflicting_arguments", fmt.Errorf("b: %w", plain))), ToolError, "conflicting_arguments", 0},
		{"the outer name", Refuse("invalid_config", Refuse("not_found", plain)), ToolError, "invalid_config", 0},
		{"a name beside a status", Refuse("not_found", &statusError{404}), ToolError, "not_found", 404},
		{"no text in a name", Refuse("no order 12 of max@example.com", plain), ToolError, "no_order_12_of__EMAIL_REDACTED_", 0},
		{"no name", Refuse("", plain), "", "error", 0},
		{"a bug stays one", Refuse("quota", bug), Crashed, "quota", 0},
		{"a declared bug", Bug("ledger_mismatch", plain), Crashed, "ledger_mismatch", 0},
		{"a declared bug under a refusal", Refuse("quota", Bug("ledger_mismatch", plain)), Crashed, "quota", 0},
		{"a bug by its chain", Bug("", fmt.Errorf("x: %w", &statusError{500})), Crashed, "umpire.statusError:500", 500},
		{"a bug by an inner name", Bug("", Refuse("quota", plain)), Crashed, "quota", 0},
		{"a bug of no name", Bug("", plain), Crashed, "error", 0},
		{"upstream by status", Upstream(fmt.Errorf("x: %w", &statusError{429})), ToolError, "umpire.statusError:429", 429},
		{"upstream by its own name", Upstream(&namedError{"KernelApiError404"}), ToolError, "KernelApiError404", 404},
		{"upstream by a given status", Upstream(plain, 502), ToolError, "http:502", 502},
		{"its own status before a given one", Upstream(&statusError{404}, 502), ToolError, "umpire.statusError:404", 404},
		{"its own name before a given status", Upstream(&namedError{"quota"}, 429), ToolError, "quota", 429},
		{"a status that is no failure", Upstream(plain, 200), ToolError, "upstream", 0},
		{"upstream by type", Upstream(syntax), ToolError, "json.SyntaxError", 0},
		{"upstream by sentinel", Upstream(io.EOF), ToolError, "io.EOF", 0},
		{"upstream deadline", Upstream(context.DeadlineExceeded), ToolError, "timeout", 0},
		{"upstream canceled", Upstream(context.Canceled), ToolError, "context.Canceled", 0},
		{"upstream unknown", Upstream(plain), ToolError, "upstream", 0},
		{"upstream twice", Upstream(fmt.Errorf("x: %w", Upstream(plain, 404))), ToolError, "http:404", 404},
		{"upstream bug", Upstream(bug), Crashed, "runtime.boundsError", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for want, o := range map[Outcome]Observation{ToolError: shown(tt.in), Crashed: failed(tt.in)} {
				if tt.want != "" {
					want = tt.want
				}
				got := o.Judge()
				if got.Outcome != want || got.Cause != "returned" || got.ErrorType != tt.typ || got.ErrorStatus != tt.status {
					t.Errorf("shown %v: %s/%s %q %d, want %s/returned %q %d", o.Shown, got.Outcome, got.Cause, got.ErrorType, got.ErrorStatus, want, tt.typ, tt.status)
				}
				unwrapped := shown(errors.New(tt.in.Error()))
				if want := unwrapped.Judge().ErrorMessage; got.ErrorMessage != want {
					t.Errorf("message %q, want %q", got.ErrorMessage, want)
				}
			}
		})
	}
}

// errors as clients of services keep a status, each by its own means.

type (
	methodHTTPStatus struct{ error }
	methodHTTPCode   struct{ error }
	methodCode       struct{ error }
	methodStatus     struct{ error }
	fieldHTTPStatus  struct{ HTTPStatusCode int }
	fieldStatusCode  struct{ StatusCode int }
	fieldInt32       struct{ Code int32 }
	methodStruct     struct{ error }
	embedsNil        struct{ *http.Response }
	grpcError        struct{ code grpcCodeNumber }
	grpcStatus       struct{ code grpcCodeNumber }
	grpcCodeNumber   uint32
	wordError        struct{ word string }
	envelopeError    struct{ error }
)

func (methodHTTPStatus) HTTPStatusCode() int { return 404 }
func (methodHTTPCode) HTTPCode() int         { return 404 }
func (methodCode) Code() int                 { return 404 }
func (methodStatus) Status() int             { return 404 }
func (fieldHTTPStatus) Error() string        { return "x" }
func (fieldStatusCode) Error() string        { return "x" }
func (fieldInt32) Error() string             { return "x" }
func (embedsNil) Error() string              { return "x" }
func (methodStruct) Status() struct {
	Message string
	Code    int32
} {
	return struct {
		Message string
		Code    int32
	}{"x", 409}
}
func (e grpcError) Error() string { return "x" }
func (e grpcError) GRPCStatus() *grpcStatus {
	if e.code == 0 {
		return nil
	}
	return &grpcStatus{e.code}
}
func (s *grpcStatus) Code() grpcCodeNumber { return s.code }
func (e wordError) Error() string          { return "x" }
func (e wordError) ErrorCode() string      { return e.word }
func (e envelopeError) Unwrap() error      { return e.error }
func (envelopeError) StatusCode() int      { return 404 }

// outcomes.md 5.1, 5.2. The real clients are in module spec/upstream.
func TestStatusOnTheChain(t *testing.T) {
	no := errors.New("no")
	for _, tt := range []struct {
		name   string
		in     error
		want   string
		status int
	}{
		{"HTTPStatusCode()", methodHTTPStatus{no}, "umpire.methodHTTPStatus:404", 404},
		{"HTTPCode()", methodHTTPCode{no}, "umpire.methodHTTPCode:404", 404},
		{"Code()", methodCode{no}, "umpire.methodCode:404", 404},
		{"Status()", methodStatus{no}, "umpire.methodStatus:404", 404},
		{"HTTPStatusCode", fieldHTTPStatus{402}, "umpire.fieldHTTPStatus:402", 402},
		{"StatusCode, by pointer", &fieldStatusCode{403}, "umpire.fieldStatusCode:403", 403},
		{"Code int32", fieldInt32{410}, "umpire.fieldInt32:410", 410},
		{"Status() with a Code", methodStruct{no}, "umpire.methodStruct:409", 409},
		{"no failure", fieldStatusCode{302}, "umpire.fieldStatusCode", 0},
		{"an embedded nil", embedsNil{}, "umpire.embedsNil", 0},
		{"the first that has one", fmt.Errorf("a: %w", errors.Join(no, fieldStatusCode{200}, fieldStatusCode{503})), "umpire.fieldStatusCode:503", 503},
		{"a word in an envelope", envelopeError{fmt.Errorf("x: %w", wordError{"NoSuchKey"})}, "NoSuchKey:404", 404},
		{"a text in an envelope", envelopeError{wordError{"no order of Max"}}, "umpire.envelopeError:404", 404},
		{"an id in an envelope", envelopeError{wordError{"order-4711-0815"}}, "umpire.envelopeError:404", 404},
		{"grpc", fmt.Errorf("a: %w", grpcError{5}), "grpc:NotFound", 0},
		{"grpc, a new code", grpcError{17}, "grpc:17", 0},
		{"grpc deadline", grpcError{4}, "timeout", 0},
		{"grpc canceled", grpcError{1}, "context.Canceled", 0},
		{"grpc without a status", grpcError{0}, "umpire.grpcError", 0},
	} {
		o := shown(tt.in)
		if got := o.Judge(); got.ErrorType != tt.want || got.ErrorStatus != tt.status || got.Outcome != ToolError {
			t.Errorf("%s: %s %q %d, want %q %d", tt.name, got.Outcome, got.ErrorType, got.ErrorStatus, tt.want, tt.status)
		}
		if got := Upstream(tt.in).(errorTyper).MCPErrorType(); got != tt.want { //nolint:errorlint // the wrapper itself
			t.Errorf("%s: Upstream names it %q, want %q", tt.name, got, tt.want)
		}
	}
	long := strings.Repeat("A", 48)
	if got, _ := goErrorName(envelopeError{wordError{long}}); got != long+":404" || len(got) > maxErrorType {
		t.Errorf("the longest word gives %q", got)
	}
}

// TestGivenNamesAreRedacted: a name that was made of a value carries none of what
// redaction knows, and is a name all the same.
func TestGivenNamesAreRedacted(t *testing.T) {
	const value, want = "no_user:max@example.com", "no_user:_EMAIL_REDACTED_"
	for name, err := range map[string]error{"MCPErrorType": &namedError{name: value}, "Refuse": Refuse(value, errors.New("x")), "Bug": Bug(value, errors.New("x"))} {
		o := Observation{Tool: "t", Observed: true, IsError: true, Err: err, Shown: true, Ran: "yes"}
		if c := o.Judge(); c.ErrorType != want {
			t.Errorf("%s: error_type %q, want %q", name, c.ErrorType, want)
		}
	}
	o := Observation{Tool: "t", Observed: true, IsError: true, NamedType: value, Ran: "yes"}
	if c := o.Judge(); c.ErrorType != want {
		t.Errorf("by hand: error_type %q, want %q", c.ErrorType, want)
	}
}
