package umpire

import (
	"bytes"
	"os"
	"runtime/debug"
)

// plane is the journal's file as something to write into: mapped into memory,
// or by system calls where it cannot be.
type plane struct {
	file *os.File
	mem  []byte // nil if not mapped
}

func newPlane(f *os.File, size int) plane { return plane{file: f, mem: mapFile(f, size)} }

// put writes b at an offset and reports whether that was possible. A page that
// cannot be had, of a disk that is full or gone, ends a program that writes to
// it; here it is only a no.
func (p *plane) put(at int, b []byte) (ok bool) {
	if p.mem == nil {
		_, err := p.file.WriteAt(bytes.Clone(b), int64(at)) // a copy, so that b stays on the caller's stack
		return err == nil
	}
	before := debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(before)
		if recover() != nil {
			ok = false
		}
	}()
	copy(p.mem[at:at+len(b)], b)
	return true
}

func (p *plane) close() {
	if p.mem != nil {
		unmapFile(p.mem)
		p.mem = nil
	}
}
