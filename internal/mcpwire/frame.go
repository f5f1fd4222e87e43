package mcpwire

// MaxFrame is the longest frame that is parsed, in bytes. Of a longer one its
// skeleton is looked at: who asked for what, and whether it failed.
const MaxFrame = 8 << 20

// Frame is one message, or one batch of messages, as it passed.
type Frame struct {
	// Data is the JSON text, valid until the function that was given the frame
	// returns. Of a frame longer than MaxFrame it is the skeleton: the same text
	// without what is long.
	Data []byte
	// Size is the length of the frame on the wire, in bytes.
	Size int64

	value int64 // of a cut frame: the bytes of its params, result or error
}

// Whole is the frame of a text that is here in full.
func Whole(data []byte) Frame { return Frame{Data: data, Size: int64(len(data))} }

// IsCut reports whether Data is a skeleton only.
func (f Frame) IsCut() bool { return f.Size > MaxFrame }
