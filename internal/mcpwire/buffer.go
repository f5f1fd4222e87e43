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
