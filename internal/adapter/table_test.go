package adapter

import (
	"runtime"
	"testing"
)

// TestTable: a key has one value while it lives, and neither afterwards.
func TestTable(t *testing.T) {
	type key [64]byte
	made := 0
	table := Table[key, int]{Make: func(*key) *int { made++; v := made; return &v }}
	kept := new(key)
	if table.Find(kept) != nil {
		t.Fatal("a key has a value before its first use")
	}
	first := table.Of(kept)
	for range 1000 {
		k := new(key)
		if v := table.Of(k); table.Of(k) != v || table.Find(k) != v {
			t.Fatal("a living key has two values")
		}
	}
	for range 50 {
		runtime.GC()
		runtime.Gosched()
		if table.Len() == 1 {
			break
		}
	}
	if n := table.Len(); n > 10 {
		t.Errorf("%d values are left of 1001, want about 1", n)
	}
	if table.Of(kept) != first {
		t.Error("a living key lost its value")
	}
	runtime.KeepAlive(kept)
}

// TestTableWithoutMake: the zero value of V is the first value.
func TestTableWithoutMake(t *testing.T) {
	var table Table[string, []string]
	k := new(string)
	*table.Of(k) = append(*table.Of(k), "one")
	if got := *table.Of(k); len(got) != 1 {
		t.Errorf("%v, want what was put there", got)
	}
	runtime.KeepAlive(k)
}
