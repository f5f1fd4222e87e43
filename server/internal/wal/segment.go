package wal

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// segment is one file of the log.
type segment struct {
	path    string
	first   uint64 // the sequence number that its name and header give
	damaged bool
}

func segmentPath(dir string, first uint64) string {
	return filepath.Join(dir, fmt.Sprintf("%020d.wal", first))
}

// segments lists the segments in dir, oldest first.
func segments(dir string) ([]*segment, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var out []*segment
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".wal")
		if !ok || len(name) != 20 || e.IsDir() {
			continue
		}
		first, err := strconv.ParseUint(name, 10, 64)
		if err != nil || first == 0 {
			continue
		}
		out = append(out, &segment{path: filepath.Join(dir, e.Name()), first: first})
	}
	slices.SortFunc(out, func(a, b *segment) int {
		if a.first < b.first {
			return -1
		}
		return 1
	})
	return out, nil
}

// segmentFile is what the committer does to a file. Tests put a failing one in
// its place.
type segmentFile interface {
	io.WriterAt
	Truncate(size int64) error
	// Datasync returns when the file's content and size are on disk.
	Datasync() error
	Close() error
}

type osFile struct{ *os.File }

// create makes a segment file with its header; file and directory are synced.
func create(path string, first uint64) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	if _, err = f.WriteAt(segmentHeader(first), 0); err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = syncDir(filepath.Dir(path))
	}
	if err != nil {
		return nil, errors.Join(err, f.Close(), os.Remove(path))
	}
	return f, nil
}

// header checks the header of an open segment. A damaged one is reported, and
// the name of the file stands in for it.
func (seg *segment) header(f io.ReaderAt) (bad bool, err error) {
	b := make([]byte, segmentHeaderSize)
	if n, err := f.ReadAt(b, 0); err != nil && !errors.Is(err, io.EOF) {
		return false, err
	} else if n < len(b) {
		return true, nil
	}
	first, err := parseSegmentHeader(b)
	if errors.Is(err, errDamaged) {
		return true, nil
	}
	return err == nil && first != seg.first, err
}
