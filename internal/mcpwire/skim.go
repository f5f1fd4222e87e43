package mcpwire

import "strconv"

const (
	// maxText is how much of a text stays in a skeleton, and maxSkeleton the most
	// that a skeleton may hold.
	maxText     = 1 << 10
	maxSkeleton = 64 << 10
	// keptDepth is how deep a skeleton goes: a message, and what it carries. What
	// lies deeper is replaced by the number of its bytes.
	keptDepth = 2
)

// skimmer reads a JSON text of any length and keeps its skeleton, in a bounded
// amount of memory. It does not check the text: the skeleton of what is no JSON
// is no JSON either.
type skimmer struct {
	out      []byte
	pos      int64 // bytes read
	depth    int
	deepest  int // that is kept
	began    [keptDepth + 3]int64
	largest  int64 // of the objects that a message carries: params, result, error
	inText   bool
	escaped  bool
	text     int  // bytes of the text so far
	overflow bool // the skeleton itself is too long, or this is no JSON
}

func (s *skimmer) write(p []byte) {
	for i := 0; i < len(p) && !s.overflow; i++ {
		if s.inText && !s.escaped && s.text >= maxText { // nothing of it stays
			n := indexEither(p[i:], '"', '\\')
			if n < 0 {
				n = len(p) - i
			}
			i += n
			s.pos += int64(n)
			if i == len(p) {
				return
			}
		}
		if c := p[i]; s.inText {
			s.inside(c)
		} else {
			s.outside(c)
		}
		s.pos++
	}
}

// inside takes a byte of a text.
func (s *skimmer) inside(c byte) {
	s.text = min(s.text+1, maxText)
	switch {
	case s.escaped:
		s.escaped = false
	case c == '\\':
		if s.text >= maxText-6 { // no escape is begun that may not end
			s.text = maxText
		}
		s.escaped = true
	case c == '"':
		s.inText = false
		s.keep('"')
		return
	}
	if s.text < maxText {
		s.keep(c)
	}
}

// outside takes a byte that is in no text.
func (s *skimmer) outside(c byte) {
	switch c {
	case '"':
		s.inText, s.escaped, s.text = true, false, 0
		s.keep(c)
	case '{', '[':
		s.open(c)
	case '}', ']':
		s.close(c)
	case ' ', '\t', '\r', '\n':
	default:
		s.keep(c)
	}
}

func (s *skimmer) open(c byte) {
	if s.depth == 0 {
		s.deepest = keptDepth
		if c == '[' { // a batch
			s.deepest++
		}
	}
	s.depth++
	if s.depth < len(s.began) {
		s.began[s.depth] = s.pos
	}
	s.keep(c)
}

func (s *skimmer) close(c byte) {
	if s.depth <= 0 {
		s.overflow = true // no JSON
		return
	}
	s.keep(c)
	if s.depth < len(s.began) {
		size := s.pos - s.began[s.depth] + 1
		switch s.depth {
		case s.deepest:
			s.largest = max(s.largest, size)
		case s.deepest + 1:
			s.depth--
			s.number(size)
			return
		}
	}
	s.depth--
}

func (s *skimmer) number(n int64) {
	for _, c := range strconv.AppendInt(nil, n, 10) {
		s.keep(c)
	}
}

// keep appends c to the skeleton if we are not too deep.
func (s *skimmer) keep(c byte) {
	if s.depth > s.deepest && s.deepest > 0 {
		return
	}
	if len(s.out) >= maxSkeleton {
		s.overflow = true
		return
	}
	s.out = append(s.out, c)
}

// skeleton returns what was kept, and the size of the largest object that a
// message in it carries.
func (s *skimmer) skeleton() (text []byte, value int64) {
	if s.overflow {
		return []byte("?"), 0 // something was there, and it is no JSON
	}
	return s.out, s.largest
}
