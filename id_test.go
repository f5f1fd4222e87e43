package umpire

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestNewID(t *testing.T) {
	at := time.Date(2026, 7, 28, 12, 0, 0, 5e6, time.UTC)
	id := newID(at)
	if id[6]>>4 != 7 || id[8]>>6 != 2 {
		t.Errorf("%s is no UUID of version 7", id)
	}
	ms := int64(0)
	for _, b := range id[:6] {
		ms = ms<<8 | int64(b)
	}
	if ms != at.UnixMilli() {
		t.Errorf("%s holds the time %d, want %d", id, ms, at.UnixMilli())
	}
	if later := newID(at.Add(time.Millisecond)); later.String() <= id.String() {
		t.Errorf("%s does not sort behind %s", later, id)
	}
}

func TestNewIDsDiffer(t *testing.T) {
	var mu sync.Mutex
	seen := map[ID]bool{}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			var mine [1000]ID
			for i := range mine {
				mine[i] = NewID()
			}
			mu.Lock()
			defer mu.Unlock()
			for _, id := range mine {
				if seen[id] || id.IsZero() {
					t.Errorf("%s came twice", id)
				}
				seen[id] = true
			}
		})
	}
	wg.Wait()
}

func TestIDText(t *testing.T) {
	const canonical = "0198f3a2-7c1d-7e2f-8a3b-0123456789ab"
	for _, tt := range []struct {
		name, in string
		ok       bool
	}{
		{"canonical", canonical, true},
		{"upper case", strings.ToUpper(canonical), true},
		{"version 4", "f47ac10b-58cc-4372-a567-0e02b2c3d479", true},
		{"nil", "00000000-0000-0000-0000-000000000000", false},
		{"empty", "", false},
		{"short", canonical[1:], false},
		{"long", canonical + "0", false},
		{"braces", "{" + canonical[2:] + "}", false},
		{"no dashes", strings.ReplaceAll(canonical, "-", "0"), false},
		{"dash elsewhere", "0198f3a27-c1d-7e2f-8a3b-0123456789ab", false},
		{"no hex", strings.Replace(canonical, "f", "g", 1), false},
		{"dash among digits", "0198f3a2-7c1d-7e2f-8a3b-01234567-9ab", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var id ID
			err := id.UnmarshalText([]byte(tt.in))
			if (err == nil) != tt.ok {
				t.Fatalf("error %v, want ok %v", err, tt.ok)
			}
			if err != nil && !id.IsZero() {
				t.Errorf("a refused text left %s", id)
			}
			if err == nil && id.String() != strings.ToLower(tt.in) {
				t.Errorf("got %s, want %s", id, strings.ToLower(tt.in))
			}
		})
	}
}

func TestIDInJSON(t *testing.T) {
	id := NewID()
	text, err := json.Marshal(Event{ID: id})
	if err != nil || !strings.Contains(string(text), `"id":"`+id.String()+`"`) {
		t.Fatalf("%s, %v", text, err)
	}
	var e Event
	if err := json.Unmarshal(text, &e); err != nil || e.ID != id {
		t.Errorf("came back as %s, %v", e.ID, err)
	}
}

func FuzzIDUnmarshalText(f *testing.F) {
	f.Add([]byte("0198f3a2-7c1d-7e2f-8a3b-0123456789ab"))
	f.Add([]byte("00000000-0000-0000-0000-000000000000"))
	f.Add([]byte("----"))
	f.Fuzz(func(t *testing.T, text []byte) {
		var id ID
		if id.UnmarshalText(text) != nil {
			return
		}
		if got := id.String(); got != strings.ToLower(string(text)) {
			t.Errorf("%q came back as %q", text, got)
		}
	})
}
