package webtest

import (
	"context"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/store"
)

// IntentList is one of the questions of store.Reader.
func (m *Memory) IntentList(context.Context, store.Filter, store.Place, int) ([]store.CallRow, error) {
	return m.Wanted, m.Fail["IntentList"]
}

// MissingList is one of the questions of store.Reader.
func (m *Memory) MissingList(context.Context, store.Filter, store.Place, int) ([]store.CallRow, error) {
	return m.Missed, m.Fail["MissingList"]
}

// IntentTools is one of the questions of store.Reader.
func (m *Memory) IntentTools(context.Context, store.Filter, int) ([]store.IntentRow, error) {
	return m.Asking, m.Fail["IntentTools"]
}

// UserList is one of the questions of store.Reader.
func (m *Memory) UserList(context.Context, store.Filter, time.Time, int64, string, int) ([]store.UserRow, error) {
	return m.People, m.Fail["UserList"]
}

// UserSeries is one of the questions of store.Reader.
func (m *Memory) UserSeries(context.Context, store.Filter, time.Time, time.Duration) ([]store.UserPoint, error) {
	return m.Days, m.Fail["UserSeries"]
}

// UserTotals is one of the questions of store.Reader.
func (m *Memory) UserTotals(context.Context, store.Filter, time.Time) (store.UserTotals, error) {
	n := int64(len(m.People))
	return store.UserTotals{Day: n, Week: n, Month: n, Range: n, New: n}, m.Fail["UserTotals"]
}

// Reads is one of the questions of store.Reader.
func (m *Memory) Reads(context.Context, store.Filter, string, int) ([]store.ReadRow, error) {
	return m.Reading, m.Fail["Reads"]
}
