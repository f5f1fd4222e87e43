package umpire

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"reflect"
)

// canceled names the end of a context that somebody cancelled.
const canceled = "context.Canceled"

// failureClass names the ways in which something that a tool waits for fails
// without an answer (outcomes.md 5.1). It goes by types and error numbers, never
// by a text. "" means that it is none of them.
func failureClass(chain []error) string {
	switch {
	case isTimeout(chain):
		return causeTimeout
	case has(chain, context.Canceled):
		return canceled
	}
	if _, ok := find[*net.DNSError](chain); ok {
		return "dns"
	}
	onSocket := isOnSocket(chain)
	if class := errnoClass(chain, onSocket); class != "" {
		return class
	}
	if isTLS(chain) {
		return "tls"
	}
	hungUp := has(chain, net.ErrClosed) || has(chain, io.EOF) || has(chain, io.ErrUnexpectedEOF)
	if _, request := find[*url.Error](chain); hungUp && (request || onSocket) {
		return "connection"
	}
	return ""
}

// isTimeout knows deadlines and everything that calls itself a timeout.
func isTimeout(chain []error) bool {
	if has(chain, context.DeadlineExceeded) || has(chain, os.ErrDeadlineExceeded) {
		return true
	}
	for _, e := range chain {
		if t, ok := e.(interface{ Timeout() bool }); ok && t.Timeout() {
			return true
		}
	}
	t, ok := find[interface{ Timeout() bool }](chain) // by an As method
	return ok && t.Timeout()
}

// isOnSocket reports whether the failure is one of a connection that the tool
// opened; one of a port that it listens on is its own.
func isOnSocket(chain []error) bool {
	op, ok := find[*net.OpError](chain)
	return ok && op != nil && op.Op != "listen"
}

// isTLS reports whether an error of the handshake or of the records is on the
// chain. Some of its types are not exported.
func isTLS(chain []error) bool {
	for _, e := range chain {
		t := reflect.TypeOf(e)
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if t.PkgPath() == "crypto/tls" {
			return true
		}
	}
	return has(chain, http.ErrSchemeMismatch)
}

// errnoNamed gives the error numbers of the system that have a class of their own.
type errnoNamed struct {
	class string
	is    []error
}

// errnoClass names a failure by the error number of the system. A number that
// has no class of its own is a failure of the connection when it befell one.
func errnoClass(chain []error, onSocket bool) string {
	for _, c := range errnoClasses {
		for _, e := range c.is {
			if has(chain, e) {
				return c.class
			}
		}
	}
	if !onSocket {
		return ""
	}
	if _, ok := find[errno](chain); ok {
		return "connection"
	}
	return ""
}
