// Package fault is the one error that crosses an edge of the server: it has a
// code that a program can act on and a hint that tells a person what to do next.
//
// In: anything that went wrong below. Out: an *Error that the doors, the read
// API, the pages and the command line turn into their own form; Status is the
// one place that maps a code to HTTP, Exit the one for exit codes. It never logs,
// and a message never carries a secret or somebody's text.
package fault

import (
	"errors"
	"net/http"
	"time"
)

// Code names a kind of failure.
type Code string

// The codes, with their HTTP status in Status.
const (
	BadRequest   Code = "bad_request"
	Unauthorized Code = "unauthorized"
	Forbidden    Code = "forbidden"
	NotFound     Code = "not_found"
	TooLarge     Code = "too_large"
	Unsupported  Code = "unsupported_media_type"
	TooMany      Code = "too_many_requests"
	Unavailable  Code = "unavailable"
	Conflict     Code = "conflict"
	Internal     Code = "internal"
)

// Error is a failure told to whoever asked.
type Error struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`        // what happened
	Hint    string `json:"hint,omitempty"` // what to do next
	// RetryAfter is the header of that name on TooMany and Unavailable; 0: none.
	RetryAfter time.Duration `json:"-"`
	cause      error
}

// Body is the one shape in which an error is written as JSON, at every edge.
type Body struct {
	Error *Error `json:"error"`
}

// New returns an error of the code.
func New(code Code, message, hint string) *Error {
	return &Error{Code: code, Message: message, Hint: hint}
}

// Wrap is New with the error that caused it; the cause is for the log and for
// errors.Is, and is not shown.
func Wrap(cause error, code Code, message, hint string) *Error {
	return &Error{Code: code, Message: message, Hint: hint, cause: cause}
}

// Error implements error.
func (e *Error) Error() string {
	s := e.Message
	if e.cause != nil {
		s += ": " + e.cause.Error()
	}
	if e.Hint != "" {
		s += " (" + e.Hint + ")"
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.cause }

// From returns the *Error in err's chain, or an Internal one that shows nothing
// of err.
func From(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return &Error{
		Code: Internal, Message: "something went wrong inside Umpire",
		Hint: "the server's log has the details", cause: err,
	}
}

// Status maps the code to HTTP.
func (e *Error) Status() int {
	switch e.Code {
	case BadRequest:
		return http.StatusBadRequest
	case Unauthorized:
		return http.StatusUnauthorized
	case Forbidden:
		return http.StatusForbidden
	case NotFound:
		return http.StatusNotFound
	case TooLarge:
		return http.StatusRequestEntityTooLarge
	case Unsupported:
		return http.StatusUnsupportedMediaType
	case TooMany:
		return http.StatusTooManyRequests
	case Unavailable:
		return http.StatusServiceUnavailable
	case Conflict:
		return http.StatusConflict
	default:
		return http.StatusInternalServerError
	}
}

// Exit maps the code to the process's exit code: 2 for what the user can mend
// by calling again, 1 for the rest.
func (e *Error) Exit() int {
	switch e.Code {
	case BadRequest, Unauthorized, Forbidden, NotFound, Conflict, Unsupported, TooLarge:
		return 2
	default:
		return 1
	}
}
