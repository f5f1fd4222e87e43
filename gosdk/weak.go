package gosdk

import (
	"runtime"
	"sync"
	"weak"
)

// weakTable holds one *V for each *K that is alive. It keeps no key alive, so
// a value must not point at its own key.
type weakTable[K, V any] struct {
	make func(*K) *V

	mu sync.RWMutex
	m  map[weak.Pointer[K]]*V
}

// of returns the value of k, made on first use.
func (t *weakTable[K, V]) of(k *K) *V {
	key := weak.Make(k)
	t.mu.RLock()
	v := t.m[key]
	t.mu.RUnlock()
	if v != nil {
		return v
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if v := t.m[key]; v != nil {
		return v
	}
	if t.m == nil {
		t.m = make(map[weak.Pointer[K]]*V)
	}
	v = t.make(k)
	t.m[key] = v
	runtime.AddCleanup(k, t.forget, key)
	return v
}

func (t *weakTable[K, V]) forget(key weak.Pointer[K]) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.m, key)
}

func (t *weakTable[K, V]) len() int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return len(t.m)
}
