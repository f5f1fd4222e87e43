package wal

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// FuzzReplay feeds the reader a segment that may hold anything: it must not
// panic, and what it returns must lie in the file under a right checksum.
func FuzzReplay(f *testing.F) {
	dir := f.TempDir()
	writeLog(f, dir, 4, Options{})
	sound, err := os.ReadFile(segmentPath(dir, 1))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(sound)
	f.Add(sound[:len(sound)-3])
	f.Add(sound[:segmentHeaderSize])
	f.Add([]byte{})
	f.Add([]byte(segmentMagic))
	f.Add(append(bytes.Clone(sound[:segmentHeaderSize]), bytes.Repeat([]byte(groupMagic), 50)...))
	huge, _, _ := appendGroup(bytes.Clone(sound[:segmentHeaderSize]), nil, nil, 1<<63, []Item{item("a")})
	f.Add(huge)
	bomb, _, _ := appendGroup(bytes.Clone(sound[:segmentHeaderSize]), nil, nil, 1, []Item{{Body: make([]byte, 1<<20)}})
	f.Add(bomb)
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		path := segmentPath(dir, 1)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		l, err := Open(dir, Options{})
		if err != nil {
			return // a newer version
		}
		defer l.Close()
		total, last := 0, uint64(0)
		report, err := l.Replay(1, func(seq uint64, it Item) error {
			if seq <= last {
				t.Fatalf("entry %d after %d", seq, last)
			}
			last = seq
			total += len(it.Body)
			return nil
		})
		if err != nil {
			return
		}
		if report.Items > 0 && !bytes.Contains(data, []byte(groupMagic)) {
			t.Fatalf("%d items out of nothing", report.Items)
		}
		if len(data) > segmentHeaderSize && report.Items == 0 && len(report.Damage)+len(l.Damage()) == 0 {
			t.Fatal("nothing read and nothing reported")
		}
		if first, err := l.Append([]Item{item("next")}, nil); err != nil || first <= last {
			t.Fatalf("Append: %d after %d, %v (%s)", first, last, err, filepath.Base(path))
		}
	})
}
