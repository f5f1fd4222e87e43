package proxy

import (
	"compress/gzip"
	"errors"
	"io"
	"iter"
)

// maxDecoded bounds what is decoded of one answer, in bytes: a few bytes can
// stand for very many.
const maxDecoded = 256 << 20

// decoder takes the coding off a copy of an answer. It hands out what can be
// decoded as soon as the sender has flushed it.
type decoder struct {
	waits []byte // given, and not yet read
	over  bool   // nothing more will be given
	ended bool   // nothing more will be read
	whole bool   // because all of it was read
	run   func() (struct{}, bool)
	stop  func()
}

// newDecoder hands what it decodes to take, within write and close.
func newDecoder(take func([]byte)) *decoder {
	d := &decoder{}
	// The reader of the coding pulls, and we push: it is suspended whenever it
	// asks for more than there is.
	d.run, d.stop = iter.Pull(func(wait func(struct{}) bool) {
		d.whole = decode(pulled{d, wait}, take)
	})
	return d
}

type pulled struct {
	d    *decoder
	wait func(struct{}) bool
}

func (p pulled) Read(b []byte) (int, error) {
	for len(p.d.waits) == 0 {
		if p.d.over || !p.wait(struct{}{}) {
			return 0, io.EOF
		}
	}
	n := copy(b, p.d.waits)
	p.d.waits = p.d.waits[n:]
	return n, nil
}

func decode(r io.Reader, take func([]byte)) bool {
	z, err := gzip.NewReader(r)
	if err != nil {
		return false
	}
	buffer := make([]byte, 32<<10)
	for total := 0; total < maxDecoded; {
		n, err := z.Read(buffer)
		total += n
		take(buffer[:n])
		if err != nil {
			return errors.Is(err, io.EOF)
		}
	}
	return false
}

func (d *decoder) write(piece []byte) {
	d.waits = piece
	d.resume()
	d.waits = nil
}

func (d *decoder) resume() {
	if d.ended {
		return
	}
	d.ended = true // should it panic
	_, more := d.run()
	d.ended = !more
}

// close reports whether all that was written could be read, to its end.
func (d *decoder) close() bool {
	d.over = true
	d.resume()
	d.stop()
	return d.whole
}
