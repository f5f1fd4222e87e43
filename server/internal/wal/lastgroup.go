package wal

import (
	"bytes"
	"encoding/binary"
	"os"
)

// damagedEnd tells a group that was once whole from one that a crash cut: a write that
// a crash cut is shorter than its header says, or was never filled. What was whole may
// have been acknowledged; it stays in its file, and lost says what it held, if that can
// be read.
func damagedEnd(f *os.File, tail found) (lost group, damaged bool, err error) {
	if tail.bad < groupHeaderSize {
		return lost, false, nil
	}
	b := make([]byte, min(tail.bad, groupHeaderSize+maxGroup))
	if _, err := f.ReadAt(b, tail.offset); err != nil {
		return lost, false, err
	}
	g, ok := parseGroupHeader(b)
	switch {
	case len(bytes.Trim(b[:groupHeaderSize], "\x00")) == 0:
		return lost, false, nil
	case ok && int64(groupHeaderSize+g.payload) > tail.bad:
		// It ends too early, unless it is its length that is wrong.
		binary.LittleEndian.PutUint32(b[8:], uint32(len(b)-groupHeaderSize))
		return g, checkGroup(b), nil
	}
	if whole, found := oneBitOff(b); found {
		return whole, true, nil
	}
	return g, true, nil
}

// oneBitOff looks for the group that b was before one bit of its header changed. What
// that group holds is not handed out; its numbers say what is lost.
func oneBitOff(b []byte) (g group, found bool) {
	for bit := range groupHeaderSize * 8 {
		b[bit/8] ^= 1 << (bit % 8)
		g, ok := parseGroupHeader(b)
		if ok && groupHeaderSize+g.payload == len(b) && checkGroup(b) {
			return g, true
		}
		b[bit/8] ^= 1 << (bit % 8)
	}
	return group{}, false
}
