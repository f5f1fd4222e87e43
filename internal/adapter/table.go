package adapter

import (
	"runtime"
	"sync"
	"weak"
)

// Table holds one *V for each *K that is alive. It keeps no key alive, so a
// value must not point at its own key.
type Table[K, V any] struct {
	// Make makes the value of a key on its first use; new(V) if nil.
	Make func(*K) *V

	mu sync.RWMutex
	m  map[weak.Pointer[K]]*V
}

// Of returns the value of k, made on first use.
func (t *Table[K, V]) Of(k *K) *V {
	if v := t.Find(k); v != nil {
		return v
	}
	key := weak.Make(k)
	t.mu.Lock()
	defer t.mu.Unlock()
	if v := t.m[key]; v != nil {
		return v
	}
	if t.m == nil {
		t.m = make(map[weak.Pointer[K]]*V)
	}
	v := t.made(k)
	t.m[key] = v
	runtime.AddCleanup(k, t.forget, key)
	return v
}

// Find returns the value of k, or nil when there is none yet.
func (t *Table[K, V]) Find(k *K) *V {
	key := weak.Make(k)
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.m[key]
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
	delete(t.m, key)
}

// Len is how many keys are remembered.
func (t *Table[K, V]) Len() int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return len(t.m)
}
