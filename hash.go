package umpire

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"slices"
)

const (
	// sessionDomain keeps session hashes apart from every other use of SHA-256
	// over the same id.
	sessionDomain = "umpire session v1\x00"
	// userDomain does the same for user ids.
	userDomain = "umpire user v1\x00"
	// askerDomain does the same for sessions that are derived from who asks.
	askerDomain = "umpire asker v1\x00"
	// derivedPrefix begins a session that was derived: by it the server knows that
	// the session ends where its user was silent for long. No hashSession has it.
	derivedPrefix = "derived-"
	// argsHashBytes of the HMAC are shown: 12 hex digits (outcomes.md 6.2).
	argsHashBytes = 6
)

// hashSession turns the transport's session id into the opaque name that leaves
// the process (outcomes.md 6.1): 32 hex digits.
func hashSession(id string) string {
	sum := sha256.Sum256([]byte(sessionDomain + id))
	return hex.EncodeToString(sum[:16])
}

// deriveSession makes a session of who asks, for requests that are in none
// (outcomes.md 6.1). Only who has the secret can make it from a user's id.
func deriveSession(secret, asker string, client Peer) string {
	mac := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(mac, "%s%q %q %q", askerDomain, asker, client.Name, client.Version)
	return derivedPrefix + hex.EncodeToString(mac.Sum(nil)[:16])
}

// hashUser turns the owner's user id into a name that only who has the secret
// can make from the id: 32 hex digits.
func hashUser(secret, id string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(userDomain + id))
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

// paging lists the top-level arguments that turn a page without changing the
// question (outcomes.md 6.2).
var paging = map[string]bool{
	"cursor": true, "page": true, "page_token": true, "next_token": true, "offset": true,
	"skip": true, "limit": true, "page_size": true, "after": true, "before": true,
}

// digest is what may be known of a call's arguments outside the process.
type digest struct {
	args, ask string   // hashes; empty without a session
	keys      []string // top-level names, sorted; nil if the arguments are no object
}

// digestArguments derives args_hash, ask_hash and input_keys. Arguments that
// have no canonical form (no JSON, duplicate names, too deep) are hashed as the
// bytes they came in, so that a literal repetition is still seen. Empty
// arguments are the empty object.
func digestArguments(session string, arguments []byte) digest {
	var h hasher
	return h.digest(session, arguments)
}

// hasher makes the hashes of events. It keeps what it made for the last session,
// since the next event is often of the same. Its zero value is ready.
type hasher struct {
	id, session string // hashSession of id is session
	key         string // of mac
	mac         hash.Hash
	sum         [sha256.Size]byte
}

// sessionOf is hashSession.
func (h *hasher) sessionOf(id string) string {
	if h.session == "" || h.id != id {
		h.id, h.session = id, hashSession(id)
	}
	return h.session
}

func (h *hasher) digest(session string, arguments []byte) digest {
	if len(bytes.TrimSpace(arguments)) == 0 {
		arguments = []byte("{}")
	}
	form, err := canonicalArguments(arguments)
	if err != nil {
		form = canonical{full: arguments, ask: arguments}
	}
	d := digest{keys: inputKeys(form.names)}
	if session == "" {
		return d
	}
	d.args = h.arguments(session, form.full)
	d.ask = d.args
	if !bytes.Equal(form.full, form.ask) {
		d.ask = h.arguments(session, form.ask)
	}
	return d
}

// HashArguments returns what args_hash will be for e in the session with the
// given id (outcomes.md 6.2).
func (e *Event) HashArguments(sessionID string) string {
	return digestArguments(hashSession(sessionID), e.Arguments).args
}

// DigestArguments fills args_hash and ask_hash, which take a Session, and input_keys
// from Arguments, for an event that no Client records: what a door read.
func (e *Event) DigestArguments() {
	d := digestArguments(e.Session, e.Arguments)
	e.ArgsHash, e.AskHash, e.InputKeys = d.args, d.ask, d.keys
}

// arguments is the hash of a canonical form within a session.
func (h *hasher) arguments(session string, form []byte) string {
	if h.mac == nil || h.key != session {
		h.key, h.mac = session, hmac.New(sha256.New, []byte(session))
	} else {
		h.mac.Reset()
	}
	h.mac.Write(form)
	return hex.EncodeToString(h.mac.Sum(h.sum[:0])[:argsHashBytes])
}

// inputKeys makes the field of names, in their place.
func inputKeys(names []string) []string {
	if len(names) == 0 {
		return nil
	}
	keys := names
	for i, name := range names {
		keys[i] = cut(name, maxName)
	}
	slices.Sort(keys)
	return keys[:min(len(keys), maxInputKeys)]
}
