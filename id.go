package umpire

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"time"
)

// ID identifies an event: a UUID, in its 16 bytes.
type ID [16]byte

// NewID returns a new version 7 UUID (RFC 9562): 48 bits of milliseconds, the
// rest random. It draws from the runtime's ChaCha8 generator, which is seeded
// by the operating system: ids must be unique, not secret.
func NewID() ID {
	return newID(time.Now())
}

func newID(at time.Time) ID {
	var id ID
	binary.BigEndian.PutUint64(id[:8], uint64(at.UnixMilli())<<16|uint64(rand.Uint32()&0xffff))
	binary.BigEndian.PutUint64(id[8:], rand.Uint64())
	id[6] = id[6]&0x0f | 0x70
	id[8] = id[8]&0x3f | 0x80
	return id
}

// IsZero reports whether the id is unset.
func (id ID) IsZero() bool { return id == ID{} }

// String returns the canonical form, 8-4-4-4-12 hex digits in lower case.
func (id ID) String() string {
	var b [36]byte
	id.encode(&b)
	return string(b[:])
}

// MarshalText implements encoding.TextMarshaler.
func (id ID) MarshalText() ([]byte, error) {
	var b [36]byte
	id.encode(&b)
	return b[:], nil
}

// UnmarshalText implements encoding.TextUnmarshaler. It takes the canonical
// form in either case, of any UUID version, and refuses the nil UUID.
func (id *ID) UnmarshalText(text []byte) error {
	if len(text) != 36 || text[8] != '-' || text[13] != '-' || text[18] != '-' || text[23] != '-' {
		return fmt.Errorf("cannot read id: not a UUID of 36 characters")
	}
	var raw [32]byte
	n := copy(raw[:], text[:8])
	n += copy(raw[n:], text[9:13])
	n += copy(raw[n:], text[14:18])
	n += copy(raw[n:], text[19:23])
	copy(raw[n:], text[24:])
	var out ID
	if _, err := hex.Decode(out[:], raw[:]); err != nil {
		return fmt.Errorf("cannot read id: not a UUID: a character is no hex digit")
	}
	if out.IsZero() {
		return fmt.Errorf("cannot read id: the nil UUID identifies nothing")
	}
	*id = out
	return nil
}

func (id ID) encode(b *[36]byte) {
	hex.Encode(b[0:8], id[0:4])
	b[8] = '-'
	hex.Encode(b[9:13], id[4:6])
	b[13] = '-'
	hex.Encode(b[14:18], id[6:8])
	b[18] = '-'
	hex.Encode(b[19:23], id[8:10])
	b[23] = '-'
	hex.Encode(b[24:36], id[10:16])
}
