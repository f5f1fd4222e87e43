package umpire

// maxChain bounds how many errors of a chain are looked at. The standard
// library follows a cyclic Unwrap for ever; a watched server must not.
const maxChain = 100

// unwrapped lists the errors of a chain, depth first, err itself first. What
// panics in an Unwrap ends its branch.
func unwrapped(err error) []error {
	list := make([]error, 0, 8)
	var walk func(error)
	walk = func(e error) {
		defer func() { _ = recover() }()
		if e == nil || len(list) >= maxChain {
			return
		}
		list = append(list, e)
		switch u := e.(type) { //nolint:errorlint // this is the walk itself
		case interface{ Unwrap() error }:
			walk(u.Unwrap())
		case interface{ Unwrap() []error }:
			for _, inner := range u.Unwrap() {
				walk(inner)
			}
		}
	}
	walk(err)
	return list
}

// find is errors.As over a bounded chain.
func find[T any](chain []error) (found T, ok bool) {
	for _, e := range chain {
		if found, ok = e.(T); ok {
			return found, true
		}
		if a, is := e.(interface{ As(any) bool }); is && a.As(&found) {
			return found, true
		}
	}
	return found, false
}

// has is errors.Is over a bounded chain, for a target that is comparable.
func has(chain []error, target error) bool {
	for _, e := range chain {
		if e == target { //nolint:errorlint // this is the walk itself
			return true
		}
		if i, is := e.(interface{ Is(error) bool }); is && i.Is(target) {
			return true
		}
	}
	return false
}
