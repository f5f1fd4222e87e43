package auth

import "context"

// Grant is what a person may do. Until people have roles, whoever has a grant
// may see every project.
type Grant struct {
	// SignedIn is false on a loopback address, where nobody signs in.
	SignedIn bool
}

type grantKey struct{}

// Granted returns the grant of the request, if it has one. The read API asks it
// when a request carries no key.
func Granted(ctx context.Context) (Grant, bool) {
	g, ok := ctx.Value(grantKey{}).(Grant)
	return g, ok
}

func withGrant(ctx context.Context, g Grant) context.Context {
	return context.WithValue(ctx, grantKey{}, g)
}
