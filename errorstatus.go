package umpire

import "reflect"

// statusOf finds the HTTP status of an upstream's answer on a chain, and the
// error that carries it (outcomes.md 5.2). It knows the ways in which Go clients
// keep one, without importing them: a method StatusCode or HTTPStatusCode, an
// exported integer field StatusCode or Code, a field Response that has a
// StatusCode.
func statusOf(chain []error) (status int, carrier error) {
	for _, e := range chain {
		if status := statusMethod(e); status != 0 {
			return status, e
		}
		if status := statusField(e); status != 0 {
			return status, e
		}
	}
	return 0, nil
}

func statusMethod(e error) (status int) {
	defer func() {
		if recover() != nil { // a nil receiver
			status = 0
		}
	}()
	switch v := e.(type) { //nolint:errorlint // the chain is walked by the caller
	case interface{ StatusCode() int }:
		return failingStatus(v.StatusCode())
	case interface{ HTTPStatusCode() int }:
		return failingStatus(v.HTTPStatusCode())
	}
	return 0
}

func statusField(e error) int {
	v := structOf(reflect.ValueOf(e))
	if !v.IsValid() {
		return 0
	}
	for _, name := range []string{"StatusCode", "Code"} {
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
