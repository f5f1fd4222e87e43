package mcpwire

import "bytes"

// keepRoom is how much of its room an idle buffer keeps.
const keepRoom = 64 << 10

// buffer gathers a frame that comes in pieces. It never holds more than MaxFrame:
// from there on only the skeleton grows.
type buffer struct {
	data []byte
	size int64
	skim *skimmer // of a frame over MaxFrame; nil before
}

func (b *buffer) add(p []byte) {
	b.size += int64(len(p))
	if b.skim == nil && b.size > MaxFrame {
		b.skim = new(skimmer)
		b.skim.write(b.data)
		b.data = nil
	}
	if b.skim != nil {
		b.skim.write(p)
		return
	}
	b.data = append(b.data, p...)
}

// take ends the frame, and tells emit of it unless it is blank.
func (b *buffer) take(emit func(Frame)) {
	f := Frame{Data: b.data, Size: b.size}
	if b.skim != nil {
		f.Data, f.value = b.skim.skeleton()
	}
	if len(bytes.TrimSpace(f.Data)) > 0 {
		emit(f)
	}
	b.reset()
}

func (b *buffer) reset() {
	b.size, b.skim = 0, nil
	if b.data = b.data[:0]; cap(b.data) > keepRoom {
		b.data = nil
	}
}

// eitherWindow is how far indexEither looks for one byte before it looks for the
// other: a far one is not looked for again and again.
const eitherWindow = 512

// indexEither returns where the first of two bytes stands, -1 if neither does. In
// long texts it is many times as fast as bytes.IndexAny, which looks at each byte.
func indexEither(p []byte, a, b byte) int {
	for from := 0; from < len(p); from += eitherWindow {
		window := p[from:min(from+eitherWindow, len(p))]
		n := bytes.IndexByte(window, a)
		if n >= 0 {
			window = window[:n]
		}
		if m := bytes.IndexByte(window, b); m >= 0 {
			return from + m
		}
		if n >= 0 {
			return from + n
		}
	}
	return -1
}
