package gosdk

import (
	"runtime"
	"testing"
)

// TestWeakTable: a key has one value while it lives, and neither afterwards.
func TestWeakTable(t *testing.T) {
	type key [64]byte
	made := 0
	table := weakTable[key, int]{make: func(*key) *int { made++; v := made; return &v }}
	kept := new(key)
	first := table.of(kept)
	for range 1000 {
		k := new(key)
		if v := table.of(k); table.of(k) != v {
			t.Fatal("a living key has two values")
		}
	}
	for range 50 {
		runtime.GC()
		runtime.Gosched()
		if table.len() == 1 {
			break
		}
	}
	if n := table.len(); n > 10 {
		t.Errorf("%d values are left of 1001, want about 1", n)
	}
	if table.of(kept) != first {
		t.Error("a living key lost its value")
	}
	runtime.KeepAlive(kept)
}
