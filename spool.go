package umpire

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// The spool keeps on disk what Flush and Close could not deliver in time. Each
// process appends to one file of its own, in a directory of its endpoint and
// key, and holds a lock on it that the operating system releases when the
// process dies. Whoever gets the lock of a file may send it and then removes
// it. A file is NDJSON, one event a line in the form of the native door.
const spoolSuffix = ".ndjson"

var errSpoolFull = errors.New("the spool is full")

type spool struct {
	dir   string // "" where there is no place
	limit int64  // bytes, of all files in dir together
	voice *voice
	file  *os.File // this process's own, locked; nil if there is none
}

// spoolDir returns the directory of one endpoint and key, or "" for none.
func spoolDir(o Options, target *url.URL) string {
	base := o.SpoolDir
	if base == noSpool {
		return ""
	}
	if base == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return ""
		}
		base = filepath.Join(cache, "umpire")
	}
	sum := sha256.Sum256([]byte(target.String() + "\x00" + o.Key))
	return filepath.Join(base, hex.EncodeToString(sum[:8]))
}

func (sp *spool) usable() bool { return sp.dir != "" }

// files lists what earlier processes left, oldest first: the names are ids in
// the order of time.
func (sp *spool) files() []string {
	if !sp.usable() {
		return nil
	}
	entries, err := os.ReadDir(sp.dir) // sorted by name
	if err != nil {
		return nil // nothing was ever spooled
	}
	var paths []string
	for _, e := range entries {
		if e.Type().IsRegular() && strings.HasSuffix(e.Name(), spoolSuffix) {
			paths = append(paths, filepath.Join(sp.dir, e.Name()))
		}
	}
	return paths
}

// write appends batches, makes them durable, and returns how many of them are.
// Any error but errSpoolFull switches the spool off for this process.
func (sp *spool) write(list []batch) (int, error) {
	room, err := sp.open()
	n := 0
	for err == nil && n < len(list) {
		if room -= int64(len(list[n].lines)); room < 0 {
			break
		}
		_, err = sp.file.Write(list[n].lines)
		n++
	}
	if err == nil {
		err = sp.file.Sync()
	}
	switch {
	case err != nil:
		sp.close()
		sp.dir = ""
		return 0, fmt.Errorf("cannot write the spool: %w", err)
	case n < len(list):
		return n, errSpoolFull
	}
	return n, nil
}

// open makes the process's own file if there is none, and returns how many
// bytes there is room for.
func (sp *spool) open() (int64, error) {
	if sp.file == nil {
		f, err := sp.create()
		if err != nil {
			return 0, err
		}
		sp.file = f
		syncDir(sp.dir)
	}
	room := sp.limit
	for _, path := range sp.files() {
		if info, err := os.Stat(path); err == nil {
			room -= info.Size()
		}
	}
	return room, nil
}

// create makes a new file. It tries again, because another process may remove
// the directory, or the file before it is locked, for being empty.
func (sp *spool) create() (f *os.File, err error) {
	for range 3 {
		if err = os.MkdirAll(sp.dir, 0o700); err != nil {
			continue
		}
		if f, err = openLocked(filepath.Join(sp.dir, NewID().String()+spoolSuffix), true); err == nil {
			return f, nil
		}
	}
	return nil, err
}

// close lets go of the process's own file, which stays for the next one.
func (sp *spool) close() {
	if sp.file == nil {
		return
	}
	info, err := sp.file.Stat()
	if err == nil && info.Size() == 0 {
		remove(sp.file)
	} else {
		_ = sp.file.Close() // it is synced already
	}
	sp.file = nil
}

// drainer reads spool files, one after the other.
type drainer struct {
	paths   []string
	file    *os.File
	lines   *bufio.Reader
	pending []batch // read and not settled
}

func (d *drainer) more() bool { return d.file != nil || len(d.paths) > 0 }

// load returns the next batch to send. nil means that this step only got from
// one file to the next: a file at its end is removed, a file that another
// process holds is left to it.
func (d *drainer) load(sp *spool) *batch {
	if len(d.pending) > 0 {
		return &d.pending[0]
	}
	if d.file == nil {
		d.next(sp)
	}
	if d.file == nil {
		return nil
	}
	b, err := readBatch(d.lines)
	if len(b.ends) > 0 {
		d.pending = append(d.pending, b)
		return &d.pending[0]
	}
	if errors.Is(err, io.EOF) {
		remove(d.file)
		_ = os.Remove(sp.dir) // succeeds when it is empty
	} else {
		_ = d.file.Close()
	}
	d.file, d.lines = nil, nil
	return nil
}

// next opens a file of an earlier process, or at last the process's own.
func (d *drainer) next(sp *spool) {
	if len(d.paths) == 0 {
		d.file, sp.file = sp.file, nil
		if _, err := d.file.Seek(0, io.SeekStart); err != nil {
			d.close()
			return
		}
	} else {
		f, err := openLocked(d.paths[0], false)
		d.paths = d.paths[1:]
		if err != nil {
			return
		}
		d.file = f
	}
	d.lines = bufio.NewReader(d.file)
}

// close lets go of a file that is not sent to its end; it stays.
func (d *drainer) close() {
	if d.file != nil {
		_ = d.file.Close()
	}
	*d = drainer{}
}

// readBatch reads the events of one request. Lines that are no JSON object, as
// a write that was cut short leaves one, are skipped. The error is io.EOF when
// nothing follows.
func readBatch(r *bufio.Reader) (batch, error) {
	var b batch
	for len(b.ends) < batchEvents && len(b.lines) < maxBatchBytes-maxEventBytes {
		line, err := r.ReadBytes('\n')
		if whole := bytes.TrimSpace(line); len(whole) > 0 && len(whole) <= maxEventBytes && whole[0] == '{' && json.Valid(whole) {
			b.lines = append(append(b.lines, whole...), '\n')
			b.ends = append(b.ends, len(b.lines))
		}
		if err != nil {
			return b, err
		}
	}
	return b, nil
}
