package wal

import (
	"bytes"
	"fmt"
	"io"
)

// Damage is a place where the log is not what was written.
type Damage struct {
	File   string
	Offset int64
	// Bytes is how many bytes could not be read.
	Bytes int64
	// From and To are the sequence numbers that may be lost, both inclusive.
	// From > To means that none is known to be missing.
	From, To uint64
	// Torn is set for the end of the last segment: a write that the crash cut,
	// and that nobody was told about. It has been cut off.
	Torn   bool
	Reason string
}

// String says it in one line.
func (d Damage) String() string {
	s := fmt.Sprintf("%s at byte %d: %s (%d bytes)", d.File, d.Offset, d.Reason, d.Bytes)
	if d.From <= d.To && !d.Torn {
		s += fmt.Sprintf("; the entries %d to %d may be lost", d.From, d.To)
	}
	return s
}

// found is what a scanner comes upon: a whole group, or a stretch of damage.
type found struct {
	offset int64
	group  group
	raw    []byte // decoded payload, valid until the next step
	bad    int64  // bytes of damage; 0 for a group
	last   bool   // damage that reaches the end of the file
	reason string
}

// scanner walks the groups of one segment. It holds at most one group at a time.
type scanner struct {
	src     io.ReaderAt
	size    int64
	offset  int64
	buf     []byte // bytes of src from bufAt on
	bufAt   int64
	scratch []byte
}

func newScanner(src io.ReaderAt, size int64) *scanner {
	return &scanner{src: src, size: size, offset: segmentHeaderSize}
}

// window returns n bytes of the file from offset on; the caller has checked
// that the file holds them. It is valid until the next call.
func (s *scanner) window(offset int64, n int) ([]byte, error) {
	if offset >= s.bufAt && offset+int64(n) <= s.bufAt+int64(len(s.buf)) {
		i := int(offset - s.bufAt)
		return s.buf[i : i+n], nil
	}
	want := int(min(max(int64(n), 256<<10), s.size-offset))
	if cap(s.buf) < want {
		s.buf = make([]byte, want)
	}
	s.buf, s.bufAt = s.buf[:want], offset
	if _, err := s.src.ReadAt(s.buf, offset); err != nil {
		s.buf = s.buf[:0]
		return nil, err
	}
	return s.buf[:n], nil
}

// next returns the next group or stretch of damage; io.EOF at the end. Any other
// error comes from reading the file, or is an ErrVersion.
func (s *scanner) next() (found, error) {
	if s.offset >= s.size {
		return found{}, io.EOF
	}
	f, reason, err := s.groupAt(s.offset)
	if err != nil {
		return found{}, err
	}
	if reason == "" {
		s.offset += int64(groupHeaderSize + f.group.payload)
		return f, nil
	}
	start := s.offset
	at, err := s.search(start + 1)
	if err != nil {
		return found{}, err
	}
	s.offset = at
	return found{offset: start, bad: at - start, last: at == s.size, reason: reason}, nil
}

// groupAt reads the group at the offset; reason says why there is none.
func (s *scanner) groupAt(offset int64) (f found, reason string, err error) {
	left := s.size - offset
	if left < groupHeaderSize {
		return f, "the header of a group is cut", nil
	}
	b, err := s.window(offset, groupHeaderSize)
	if err != nil {
		return f, "", err
	}
	g, ok := parseGroupHeader(b)
	if !ok {
		return f, "no group begins here", nil
	}
	if int64(groupHeaderSize+g.payload) > left {
		return f, "a group is cut", nil
	}
	if b, err = s.window(offset, groupHeaderSize+g.payload); err != nil {
		return f, "", err
	}
	if !checkGroup(b) {
		return f, errDamaged.Error(), nil
	}
	if g.version > version {
		return f, "", newerVersion(int(g.version))
	}
	if g.flags&^knownFlags != 0 {
		return f, "", fmt.Errorf("%w: a group has unknown flags", ErrVersion)
	}
	raw, reason := g.unpack(b[groupHeaderSize:], s.scratch)
	if reason != "" {
		return f, reason, nil
	}
	if g.flags&flagS2 != 0 {
		s.scratch = raw
	}
	return found{offset: offset, group: g, raw: raw}, "", nil
}

// search returns the offset of the next whole group at or after from, or the
// size of the file.
func (s *scanner) search(from int64) (int64, error) {
	for at := from; at+groupHeaderSize <= s.size; {
		b, err := s.window(at, int(min(64<<10, s.size-at)))
		if err != nil {
			return 0, err
		}
		i := bytes.Index(b, []byte(groupMagic))
		if i < 0 {
			at += int64(len(b) - len(groupMagic) + 1)
			continue
		}
		at += int64(i)
		_, reason, err := s.groupAt(at)
		if err != nil || reason == "" {
			return at, err
		}
		at++
	}
	return s.size, nil
}
