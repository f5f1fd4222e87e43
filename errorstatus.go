package umpire

import (
	"net/textproto"
	"reflect"
	"strconv"
)

// statusOf finds the HTTP status of an upstream's answer on a chain, and the
// error that carries it (outcomes.md 5.2). It knows the ways in which Go clients
// keep one, without importing them:
//
//   - a method StatusCode, HTTPStatusCode, HTTPCode, Code or Status that returns
//     an int (AWS, gax, go-swagger)
//   - an exported integer field StatusCode, HTTPStatusCode, Code or Status
//     (Azure, Stripe, googleapi, Elasticsearch)
//   - a field Response that has a StatusCode (go-github, GitLab)
//   - a method Status that returns a struct with a Code (Kubernetes)
//
// Module spec/upstream holds this against the real clients.
func statusOf(chain []error) (status int, carrier int) {
	for i, e := range chain {
		for _, look := range []func(error) int{statusMethod, statusField, statusStruct} {
			if status := failingStatus(look(e)); status != 0 {
				return status, i
			}
		}
	}
	return 0, -1
}

// statusName is TypeName:404. Where an envelope of the transport carries the
// status, around an error of the API that has a word for itself (AWS), the word
// stands in place of the envelope's type: NoSuchKey:404.
func statusName(chain []error, carrier, status int) string {
	e := chain[carrier]
	name := typeName(e)
	if word := codeWord(chain[carrier+1:]); word != "" {
		name = word
	}
	suffix := ":" + strconv.Itoa(status)
	return cutBytes(name, maxErrorType-len(suffix)) + suffix
}

// codeWord asks a chain for ErrorCode() string, and takes nothing but a word.
func codeWord(chain []error) (word string) {
	defer func() {
		if recover() != nil {
			word = ""
		}
	}()
	for _, e := range chain {
		if c, ok := e.(interface{ ErrorCode() string }); ok {
			if word := c.ErrorCode(); isCode(word) {
				return word
			}
		}
	}
	return ""
}

// isCode tells a code that somebody chose (NoSuchKey, InvalidAMIID.NotFound)
// from a text and from the id of one thing.
func isCode(s string) bool {
	if s == "" || len(s) > 48 {
		return false
	}
	digits := 0
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z':
		case i > 0 && (c == '_' || c == '.' || c == '-'):
		case i > 0 && c >= '0' && c <= '9':
			digits++
		default:
			return false
		}
	}
	return digits <= 4
}

func statusMethod(e error) (status int) {
	defer func() {
		if recover() != nil { // a nil receiver
			status = 0
		}
	}()
	if v, ok := e.(interface{ StatusCode() int }); ok {
		status = failingStatus(v.StatusCode())
	}
	if v, ok := e.(interface{ HTTPStatusCode() int }); ok && status == 0 {
		status = failingStatus(v.HTTPStatusCode())
	}
	if v, ok := e.(interface{ HTTPCode() int }); ok && status == 0 {
		status = failingStatus(v.HTTPCode())
	}
	if v, ok := e.(interface{ Code() int }); ok && status == 0 {
		status = failingStatus(v.Code())
	}
	if v, ok := e.(interface{ Status() int }); ok && status == 0 {
		status = failingStatus(v.Status())
	}
	return status
}

func statusField(e error) (status int) {
	defer func() {
		if recover() != nil { // an embedded nil pointer
			status = 0
		}
	}()
	if _, ok := e.(*textproto.Error); ok { //nolint:errorlint // the chain is walked by the caller
		return 0 // a reply code of SMTP or FTP
	}
	v := structOf(reflect.ValueOf(e))
	if !v.IsValid() {
		return 0
	}
	for _, name := range []string{"StatusCode", "HTTPStatusCode", "Code", "Status"} {
		if status := intField(v, name); status != 0 {
			return status
		}
	}
	if response := v.FieldByName("Response"); response.IsValid() {
		if r := structOf(response); r.IsValid() {
			return intField(r, "StatusCode")
		}
	}
	return 0
}

// statusStruct asks for Status() and looks for a Code in what it returns.
func statusStruct(e error) (status int) {
	defer func() {
		if recover() != nil {
			status = 0
		}
	}()
	// The name is a constant: otherwise the linker would keep every method of the program.
	out := structOf(answerOf(reflect.ValueOf(e).MethodByName("Status")))
	if !out.IsValid() {
		return 0
	}
	return intField(out, "Code")
}

// answerOf calls a method that takes nothing and returns one value. The zero
// Value means that it is another kind of method, or none.
func answerOf(method reflect.Value) reflect.Value {
	if !method.IsValid() || method.Type().NumIn() != 0 || method.Type().NumOut() != 1 {
		return reflect.Value{}
	}
	return method.Call(nil)[0]
}

// grpcCodes are the names of the codes of gRPC, by number.
var grpcCodes = [...]string{
	"OK", "Canceled", "Unknown", "InvalidArgument", "DeadlineExceeded", "NotFound", "AlreadyExists", "PermissionDenied",
	"ResourceExhausted", "FailedPrecondition", "Aborted", "OutOfRange", "Unimplemented", "Internal", "Unavailable",
	"DataLoss", "Unauthenticated",
}

const (
	grpcCanceled         = 1
	grpcDeadlineExceeded = 4
)

// grpcName is the name of a gRPC status on a chain, which is found by the
// method GRPCStatus: grpc:NotFound. The two codes with which a client reports
// the end of its own context have the names that such an end has everywhere.
func grpcName(chain []error) string {
	for _, e := range chain {
		switch code := grpcCode(e); {
		case code == 0:
		case code == grpcCanceled:
			return canceled
		case code == grpcDeadlineExceeded:
			return causeTimeout
		case code < uint64(len(grpcCodes)):
			return "grpc:" + grpcCodes[code]
		default:
			return "grpc:" + strconv.FormatUint(code, 10)
		}
	}
	return ""
}

// grpcCode is the code of the status that e has, or 0, which is OK.
func grpcCode(e error) (code uint64) {
	defer func() {
		if recover() != nil {
			code = 0
		}
	}()
	status := answerOf(reflect.ValueOf(e).MethodByName("GRPCStatus"))
	if !status.IsValid() || status.Kind() == reflect.Pointer && status.IsNil() {
		return 0
	}
	answer := answerOf(status.MethodByName("Code"))
	if !answer.IsValid() || !answer.CanUint() {
		return 0
	}
	return answer.Uint()
}

// structOf follows pointers to a struct; the zero Value means there is none.
func structOf(v reflect.Value) reflect.Value {
	for v.IsValid() && v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return reflect.Value{}
		}
		v = v.Elem()
	}
	if !v.IsValid() || v.Kind() != reflect.Struct {
		return reflect.Value{}
	}
	return v
}

func intField(v reflect.Value, name string) int {
	field, ok := v.Type().FieldByName(name)
	if !ok || !field.IsExported() || len(field.Index) != 1 {
		return 0 // one of an embedded struct may sit behind a nil pointer
	}
	f := v.FieldByIndex(field.Index)
	if !f.CanInt() {
		return 0
	}
	return failingStatus(int(f.Int()))
}

// failingStatus keeps what HTTP calls an error; other numbers are other codes.
func failingStatus(n int) int {
	if n >= 400 && n <= 599 {
		return n
	}
	return 0
}

// statusInName reads the status out of a name that carries one, such as
// KernelApiError404 or url.Error:502.
func statusInName(name string) int {
	n := len(name)
	if n < 4 {
		return 0
	}
	status := 0
	for _, d := range name[n-3:] {
		if d < '0' || d > '9' {
			return 0
		}
		status = status*10 + int(d-'0')
	}
	if before := name[n-4]; before >= '0' && before <= '9' || before == '-' || before == '.' {
		return 0 // the end of a longer number, or a JSON-RPC code
	}
	return failingStatus(status)
}
