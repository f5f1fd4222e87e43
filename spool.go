package umpire

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The spool keeps on disk what could not be delivered: what Flush and Close had
// no time for, and what is recorded while the server is away or too slow. Each
// process writes to one file of its own, in a directory of its endpoint and
// key, and holds a lock on it that the operating system releases when the
// process dies. Whoever gets the lock of a file may send it and then removes
// it. A file is NDJSON, one event a line in the form of the native door. Beside
// these files lie the journals (spooljournal.go).
const spoolSuffix = ".ndjson"

var errSpoolFull = errors.New("the spool is full")

type spool struct {
	dir   string // "" where there is no place
	limit int64  // bytes, of all files in dir together
	voice *voice
	file  *os.File // this process's own, locked; nil if there is none
	own   string   // path of the process's own journal
	was   string   // dir, while the spool is off because nothing could be written
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
		if e.Type().IsRegular() && (strings.HasSuffix(e.Name(), spoolSuffix) || strings.HasSuffix(e.Name(), journalSuffix)) {
			paths = append(paths, filepath.Join(sp.dir, e.Name()))
		}
	}
	return paths
}

// left lists what other processes left.
func (sp *spool) left() []string {
	return slices.DeleteFunc(sp.files(), func(path string) bool { return path == sp.own })
}

// write appends batches, makes them durable, and returns how many of them are.
// Any error but errSpoolFull switches the spool off until resume.
func (sp *spool) write(list []batch) (int, error) {
	room, err := sp.open()
	n := 0
	for err == nil && n < len(list) {
		if room -= int64(len(list[n].lines)); room < 0 {
			break
		}
		if err = sp.append(list[n].lines); err == nil {
			n++
		}
	}
	if n > 0 {
		if unsafe := sp.file.Sync(); unsafe != nil {
			n, err = 0, unsafe
		}
	}
	switch {
	case err != nil:
		sp.close()
		sp.was, sp.dir = sp.dir, ""
		return n, fmt.Errorf("cannot write the spool: %w", err)
	case n < len(list):
		return n, errSpoolFull
	}
	return n, nil
}

// append writes a batch at the end of the file, whole or not at all.
func (sp *spool) append(lines []byte) error {
	n, err := sp.file.Write(lines)
	if err != nil && n > 0 {
		if end, seekErr := sp.file.Seek(int64(-n), io.SeekCurrent); seekErr == nil {
			_ = sp.file.Truncate(end)
		}
	}
	return err
}

// resume has the spool tried again after nothing could be written, as when the
// disk was full. It reports whether there is one again.
func (sp *spool) resume() bool {
	if sp.was == "" {
		return false
	}
	sp.dir, sp.was = sp.was, ""
	return true
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
	return sp.room(), nil
}

// room is how many bytes may still be written.
func (sp *spool) room() int64 {
	room := sp.limit
	for _, path := range sp.files() {
		if info, err := os.Stat(path); err == nil {
			room -= info.Size()
		}
	}
	return room
}

func (sp *spool) create() (*os.File, error) { return createIn(sp.dir, spoolSuffix) }

// createIn makes a new file. It tries again, because another process may remove
// the directory, or the file before it is locked, for being empty.
func createIn(dir, suffix string) (f *os.File, err error) {
	for range 3 {
		if err = os.MkdirAll(dir, 0o700); err != nil {
			continue
		}
		if err = ownDir(dir); err != nil {
			continue
		}
		if f, err = openLocked(filepath.Join(dir, NewID().String()+suffix), true); err == nil {
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
