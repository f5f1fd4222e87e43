// Package auth decides who may see the pages and the read API.
//
// In: requests, the operator's password, the public address. Out: a Grant in the
// request's context, or a *fault.Error. On a loopback address whoever can connect
// is let in, once Host and Origin show that no foreign page is behind the
// request; on any other address a person signs in with the operator's password
// and carries a session cookie. It never stores or logs a password, and it knows
// nothing of keys: those belong to package meta.
package auth
