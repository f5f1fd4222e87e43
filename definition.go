package umpire

import (
	"crypto/sha256"
	"encoding/hex"
)

// Hash returns what ToolDefinition.Definition and Event.Definition hold: the
// first 16 hex digits of the SHA-256 over name, title, description and input
// schema (docs/wire.md), each followed by a zero byte so that none runs into
// the next. The schema is hashed in its RFC 8785 form where it has one, so that
// an SDK and a proxy, who see other bytes of the same list, agree.
func (d ToolDefinition) Hash() string {
	schema := []byte(d.InputSchema)
	if c, err := canonicalArguments(schema); err == nil {
		schema = c.full
	}
	h := sha256.New()
	for _, part := range [][]byte{[]byte(d.Name), []byte(d.Title), []byte(d.Description), schema} {
		h.Write(part)
		h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
