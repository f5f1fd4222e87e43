package auth

import (
	"net/http"
	"strings"

	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/meta"
)

// Keys knows which keys exist; *meta.DB does.
type Keys interface {
	Lookup(key string) (meta.Key, bool)
}

// Challenge is the WWW-Authenticate header that goes with an Unauthorized answer.
const Challenge = `Bearer realm="umpire"`

// Bearer returns the key of the Authorization header; "" if there is none.
func Bearer(r *http.Request) string {
	scheme, key, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	if !ok || !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(key)
}

// Writer returns the key of a request that sends events. The error is
// Unauthorized without a known key, and Forbidden with one that only reads.
func Writer(keys Keys, r *http.Request) (meta.Key, *fault.Error) {
	return WriterOf(keys, Bearer(r))
}

// WriterOf is Writer for a key that stood somewhere else in the request; "" is none.
func WriterOf(keys Keys, credential string) (meta.Key, *fault.Error) {
	key, err := known(keys, credential, "a write key (ump_w_…); `umpire key add --project P --write` makes one")
	if err == nil && !key.Writes() {
		err = fault.New(fault.Forbidden, "this key reads, it cannot send events",
			"send events with a write key (ump_w_…) of the project")
	}
	return key, err
}

// Reader returns the key of a request that asks questions. The error is
// Unauthorized without a known key, and Forbidden with one that only writes.
func Reader(keys Keys, r *http.Request) (meta.Key, *fault.Error) {
	key, err := known(keys, Bearer(r), "a read key (ump_r_…); `umpire key add --project P --read` makes one")
	if err == nil && !key.Reads() {
		err = fault.New(fault.Forbidden, "this key sends events, it cannot read",
			"read with a read key (ump_r_…) of the project")
	}
	return key, err
}

func known(keys Keys, bearer, need string) (meta.Key, *fault.Error) {
	if bearer == "" {
		return meta.Key{}, fault.New(fault.Unauthorized, "the request carries no key",
			"send `Authorization: Bearer` with "+need)
	}
	key, ok := keys.Lookup(bearer)
	if !ok {
		return meta.Key{}, fault.New(fault.Unauthorized, "the key is unknown or revoked", "use "+need)
	}
	return key, nil
}
