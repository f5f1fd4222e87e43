package wal

import (
	"os"
	"testing"
)

// TestAFlippedLastGroupIsNoTornWrite: each byte of the last group is damaged in turn.
// What was acknowledged before it is there; it itself is told of, and kept.
func TestAFlippedLastGroupIsNoTornWrite(t *testing.T) {
	dir := t.TempDir()
	writeLog(t, dir, 2, Options{})
	path := segmentPath(dir, 1)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	l := open(t, dir, Options{})
	add(t, l, "last one", "last two")
	closeLog(t, l)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for at := len(before); at < len(data); at++ {
		dir, flipped := t.TempDir(), append([]byte(nil), data...)
		flipped[at] ^= 1 << (at % 8)
		path := segmentPath(dir, 1)
		if err := os.WriteFile(path, flipped, 0o600); err != nil {
			t.Fatal(err)
		}
		l := open(t, dir, Options{})
		next := add(t, l, "next")
		got, report := bodies(t, l, 1)
		if len(got) != 7 || len(report.Damage) == 0 || report.Damage[0].Torn || report.Damage[0].Bytes != int64(len(data)-len(before)) {
			t.Fatalf("byte %d of the group: %d bodies, damage %v", at-len(before), len(got), report.Damage)
		}
		if d := report.Damage[0]; next != 9 || d.From != 7 || d.To != 8 {
			t.Fatalf("byte %d of the group: next is %d, damage %v", at-len(before), next, report.Damage)
		}
		if kept, err := os.ReadFile(path); err != nil || string(kept) != string(flipped) {
			t.Fatalf("the damaged file was changed: %v", err)
		}
		closeLog(t, l)
	}
}

// TestAnEndOfZerosIsTorn: the file grew, and its content never came.
func TestAnEndOfZerosIsTorn(t *testing.T) {
	dir := t.TempDir()
	writeLog(t, dir, 1, Options{})
	f, err := os.OpenFile(segmentPath(dir, 1), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(make([]byte, 5000)); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	l := open(t, dir, Options{})
	if d := l.Damage(); len(d) != 1 || !d[0].Torn || d[0].Bytes != 5000 {
		t.Fatalf("damage %v", d)
	}
	if next := add(t, l, "next"); next != 4 {
		t.Fatalf("next is %d, want 4", next)
	}
	closeLog(t, l)
}
