package wal

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func sealHeader(b []byte) {
	binary.LittleEndian.PutUint32(b[28:], crc32.Checksum(b[:28], castagnoli))
}

// writeLog makes a log of n appends, three items each, and returns what each
// sequence number holds.
func writeLog(t testing.TB, dir string, n int, opts Options) map[uint64]string {
	t.Helper()
	l := open(t, dir, opts)
	want := map[uint64]string{}
	for i := range n {
		b := []string{fmt.Sprintf(`{"n":%d}`, i), fmt.Sprintf(`{"m":%d}`, i), strings.Repeat("same ", i%20)}
		first := add(t, l, b...)
		for j := range b {
			want[first+uint64(j)] = b[j]
		}
	}
	closeLog(t, l)
	return want
}

func TestATornTailIsCutAndReported(t *testing.T) {
	dir := t.TempDir()
	writeLog(t, dir, 3, Options{})
	path := segmentPath(dir, 1)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for cut := 1; cut < 40; cut++ {
		if err := os.WriteFile(path, data[:len(data)-cut], 0o600); err != nil {
			t.Fatal(err)
		}
		l := open(t, dir, Options{})
		damage := l.Damage()
		if len(damage) != 1 || !damage[0].Torn || damage[0].File != filepath.Base(path) {
			t.Fatalf("cut by %d: damage %v", cut, damage)
		}
		if got := add(t, l, "next"); got != 7 {
			t.Fatalf("cut by %d: next is %d, want 7", cut, got)
		}
		got, report := bodies(t, l, 1)
		if len(got) != 7 || got[6] != "7:next" || len(report.Damage) != 0 {
			t.Fatalf("cut by %d: %v, %v", cut, got, report.Damage)
		}
		closeLog(t, l)
	}
}

func TestDamageInTheMiddleIsPassedOverLoudly(t *testing.T) {
	for _, segment := range []int64{0, 1} { // one file; a file for each append
		dir := t.TempDir()
		writeLog(t, dir, 4, Options{SegmentBytes: segment})
		files, err := segments(dir)
		if err != nil {
			t.Fatal(err)
		}
		path, offset := files[0].path, int64(0)
		if len(files) > 1 {
			path, offset = files[1].path, segmentHeaderSize
		} else {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			offset = int64(strings.Index(string(data[segmentHeaderSize+4:]), groupMagic)) + segmentHeaderSize + 4
		}
		flip(t, path, offset+groupHeaderSize+3)

		l := open(t, dir, Options{})
		got, report := bodies(t, l, 1)
		if len(got) != 9 || got[2] != "3:" || !strings.HasPrefix(got[3], "7:") {
			t.Errorf("items %v", got)
		}
		if len(report.Damage) != 1 {
			t.Fatalf("damage %v", report.Damage)
		}
		d := report.Damage[0]
		if d.File != filepath.Base(path) || d.Offset != offset || d.From != 4 || d.To != 6 || d.Torn || d.Bytes == 0 {
			t.Errorf("damage %+v at %d", d, offset)
		}
		add(t, l, "after")
		if err := l.Rotate(); err != nil {
			t.Fatal(err)
		}
		if err := l.Truncate(100); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(path + ".damaged"); err != nil {
			t.Errorf("the damaged segment was not kept: %v", err)
		}
	}
}

func TestALostSegmentIsReported(t *testing.T) {
	dir := t.TempDir()
	writeLog(t, dir, 4, Options{SegmentBytes: 1})
	if err := os.Remove(segmentPath(dir, 4)); err != nil {
		t.Fatal(err)
	}
	l := open(t, dir, Options{})
	got, report := bodies(t, l, 1)
	if len(got) != 9 || len(report.Damage) != 1 || report.Damage[0].From != 4 || report.Damage[0].To != 6 {
		t.Errorf("items %v, damage %v", got, report.Damage)
	}
}

func TestACrashWhileASegmentIsMade(t *testing.T) {
	for _, size := range []int64{0, 5, segmentHeaderSize - 1} {
		dir := t.TempDir()
		writeLog(t, dir, 2, Options{SegmentBytes: 1})
		if err := os.WriteFile(segmentPath(dir, 7), segmentHeader(7)[:size], 0o600); err != nil {
			t.Fatal(err)
		}
		l := open(t, dir, Options{})
		if got := add(t, l, "next"); got != 7 {
			t.Errorf("size %d: next is %d, want 7", size, got)
		}
		if got, report := bodies(t, l, 1); len(got) != 7 || len(report.Damage) != 0 {
			t.Errorf("size %d: %v, %v", size, got, report.Damage)
		}
	}
}

func flip(t testing.TB, path string, offset int64) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data[offset] ^= 0x10
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestNoDamageGoesUnseen breaks a log at random and holds the reader to this:
// what it returns is what was written, and what it does not return it reports.
func TestNoDamageGoesUnseen(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "log")
		if err != nil {
			rt.Fatal(err)
		}
		opts := Options{SegmentBytes: rapid.SampledFrom([]int64{1, 300, 1 << 20}).Draw(rt, "segment")}
		want := writeLog(t, dir, rapid.IntRange(1, 12).Draw(rt, "appends"), opts)
		files, err := segments(dir)
		if err != nil {
			rt.Fatal(err)
		}
		i := rapid.IntRange(0, len(files)-1).Draw(rt, "file")
		data, err := os.ReadFile(files[i].path)
		if err != nil {
			rt.Fatal(err)
		}
		offset := rapid.IntRange(0, len(data)-1).Draw(rt, "offset")
		cut := rapid.Bool().Draw(rt, "cut")
		if cut {
			data = data[:offset]
		} else {
			data[offset] ^= 1 << rapid.IntRange(0, 7).Draw(rt, "bit")
		}
		if err := os.WriteFile(files[i].path, data, 0o600); err != nil {
			rt.Fatal(err)
		}

		l, err := Open(dir, opts)
		if err != nil {
			rt.Fatal(err)
		}
		defer l.Close()
		got := map[uint64]string{}
		last := uint64(0)
		report, err := l.Replay(1, func(seq uint64, it Item) error {
			if seq <= last || string(it.Body) != want[seq] || it.Project != 7 || !it.ReceivedAt.Equal(at) {
				rt.Fatalf("entry %d after %d is %q, want %q", seq, last, it.Body, want[seq])
			}
			got[seq], last = string(it.Body), seq
			return nil
		})
		if err != nil {
			rt.Fatal(err)
		}
		damage := append(l.Damage(), report.Damage...)
		// The end of the last file cut off between two groups leaves a sound log. Only
		// the store's position can tell.
		clean := cut && i == len(files)-1 && len(damage) == 0
		for seq := range want {
			if _, ok := got[seq]; !ok && !explained(damage, seq, l.Next()) && (!clean || seq < l.Next()) {
				rt.Fatalf("entry %d is missing and no damage explains it: %v", seq, damage)
			}
		}
		if first, err := l.Append([]Item{item("after")}, nil); err != nil || first <= last {
			rt.Fatalf("Append after damage: %d after %d, %v", first, last, err)
		}
	})
}

func explained(damage []Damage, seq, next uint64) bool {
	for _, d := range damage {
		if seq >= d.From && seq <= d.To || d.Torn && seq >= next {
			return true
		}
	}
	return false
}
