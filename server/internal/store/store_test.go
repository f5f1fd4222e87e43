package store_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

func TestBucket(t *testing.T) {
	for _, c := range []struct {
		us   int64
		want int
	}{
		{math.MinInt64, 0},
		{-1, 0},
		{0, 0},
		{1, 0},
		{2, 16},
		{3, 25},
		{4, 32},
		{7, 44},
		{8, 48},
		{1 << 20, 320},
		{1<<20 - 1, 319},
		{1 << 29, 464},
		{1 << 30, 480},
		{math.MaxInt64, 717},
	} {
		if got := store.Bucket(c.us); got != c.want {
			t.Errorf("Bucket(%d) = %d, want %d", c.us, got, c.want)
		}
	}
	for bucket := range store.Buckets {
		from, middle, to := store.BucketFrom(bucket), store.BucketMiddle(bucket), store.BucketFrom(bucket+1)
		if middle/from > 1.022 || to/middle > 1.022 || from >= middle || middle >= to {
			t.Errorf("bucket %d is %v to %v with the middle %v", bucket, from, to, middle)
		}
		if inside := int64(math.Ceil(from)); float64(inside) < to && store.Bucket(inside) != bucket {
			t.Errorf("Bucket(%d) = %d, and lies in %d", inside, store.Bucket(inside), bucket)
		}
	}
}

func TestStepStart(t *testing.T) {
	const day = 24 * time.Hour
	for _, c := range []struct {
		step     time.Duration
		at, want string
	}{
		{time.Minute, "2026-05-04T12:34:56.789Z", "2026-05-04T12:34:00Z"},
		{time.Hour, "2026-05-04T12:00:00Z", "2026-05-04T12:00:00Z"},
		{6 * time.Hour, "2026-05-04T11:59:59Z", "2026-05-04T06:00:00Z"},
		{day, "2026-05-04T01:00:00+02:00", "2026-05-03T00:00:00Z"},
		{7 * day, "2026-05-10T23:00:00Z", "2026-05-04T00:00:00Z"}, // a Sunday; the week began on Monday
		{7 * day, "2026-05-11T00:00:00Z", "2026-05-11T00:00:00Z"},
		{day, "1960-01-01T10:00:00Z", "1960-01-01T00:00:00Z"},
	} {
		at, err := time.Parse(time.RFC3339, c.at)
		if err != nil {
			t.Fatal(err)
		}
		if got := store.StepStart(at, c.step).Format(time.RFC3339); got != c.want {
			t.Errorf("StepStart(%s, %v) = %s, want %s", c.at, c.step, got, c.want)
		}
	}
}

func TestFromRollups(t *testing.T) {
	hour := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	some := []string{"a"}
	for _, c := range []struct {
		name   string
		filter store.Filter
		want   bool
	}{
		{"whole hours", store.Filter{From: hour, To: hour.Add(time.Hour)}, true},
		{"what rollups hold", store.Filter{From: hour, To: hour, Server: some, Version: some, Env: some, Tool: some, Client: some, Platform: some}, true},
		{"another zone", store.Filter{From: hour.In(time.FixedZone("", 3600)), To: hour}, true},
		{"half an hour", store.Filter{From: hour, To: hour.Add(30 * time.Minute)}, false},
		{"a microsecond", store.Filter{From: hour.Add(time.Microsecond), To: hour.Add(time.Hour)}, false},
		{"outcome", store.Filter{From: hour, To: hour, Outcome: some}, false},
		{"slice", store.Filter{From: hour, To: hour, Slice: some}, false},
		{"cause", store.Filter{From: hour, To: hour, Cause: some}, false},
		{"error type", store.Filter{From: hour, To: hour, ErrorType: some}, false},
		{"error status", store.Filter{From: hour, To: hour, ErrorStatus: some}, false},
		{"fingerprint", store.Filter{From: hour, To: hour, Fingerprint: some}, false},
		{"session", store.Filter{From: hour, To: hour, Session: some}, false},
		{"user", store.Filter{From: hour, To: hour, User: some}, false},
	} {
		if got := c.filter.FromRollups(); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestDerivedSession: the SDK and the store agree on how a derived session is told.
func TestDerivedSession(t *testing.T) {
	heard := make(chan umpire.Event, 2)
	client := umpire.New(umpire.Options{Observer: func(e umpire.Event) { heard <- e }, SpoolDir: "-"})
	client.Record(umpire.Event{Kind: "call", SessionID: "user ada", SessionDerived: true})
	client.Record(umpire.Event{Kind: "call", SessionID: "user ada"})
	if err := client.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, derived := range []bool{true, false} {
		if e := <-heard; strings.HasPrefix(e.Session, store.DerivedSession) != derived {
			t.Errorf("session %q, derived %v", e.Session, derived)
		}
	}
}
