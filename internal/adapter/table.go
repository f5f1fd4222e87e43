package adapter

import (
	"runtime"
	"sync"
	"sync/atomic"
	"weak"
)

// Table holds one *V for each *K that is alive. It keeps no key alive, so a
// value must not point at its own key.
type Table[K, V any] struct {
	// Make makes the value of a key on its first use; new(V) if nil.
	Make func(*K) *V

	mu sync.RWMutex
	m  map[weak.Pointer[K]]*row[K, V]
	// last is the row that was found last. To see that it is the right one costs a
	// tenth of making a weak pointer and looking it up.
	last atomic.Pointer[row[K, V]]
}

type row[K, V any] struct {
	key weak.Pointer[K]
	v   *V
}

// Of returns the value of k, made on first use.
func (t *Table[K, V]) Of(k *K) *V {
	if v := t.Find(k); v != nil {
		return v
	}
	key := weak.Make(k)
	t.mu.Lock()
	defer t.mu.Unlock()
	if r := t.m[key]; r != nil {
		return r.v
	}
	if t.m == nil {
		t.m = make(map[weak.Pointer[K]]*row[K, V])
	}
	v := t.made(k)
	t.m[key] = &row[K, V]{key, v}
	runtime.AddCleanup(k, t.forget, key)
	return v
}

// Find returns the value of k, or nil when there is none yet.
func (t *Table[K, V]) Find(k *K) *V {
	if r := t.last.Load(); r != nil && k != nil && r.key.Value() == k {
		return r.v
	}
	key := weak.Make(k)
	t.mu.RLock()
	defer t.mu.RUnlock()
	r := t.m[key]
	if r == nil {
		return nil
	}
	t.last.Store(r)
	return r.v
}

func (t *Table[K, V]) made(k *K) *V {
	if t.Make == nil {
		return new(V)
	}
	return t.Make(k)
}

func (t *Table[K, V]) forget(key weak.Pointer[K]) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if r := t.last.Load(); r != nil && r.key == key {
		t.last.Store(nil)
	}
	delete(t.m, key)
}

// Len is how many keys are remembered.
func (t *Table[K, V]) Len() int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return len(t.m)
}
