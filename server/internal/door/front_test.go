package door

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/fault"
)

func TestRateRefills(t *testing.T) {
	r := newRate(10)
	now := time.Unix(1000, 0)
	r.spend(1, 200, now) // 100 beyond the burst
	if got := r.wait(1, now); got != 10*time.Second {
		t.Errorf("wait %v, want 10s", got)
	}
	if got := r.wait(1, now.Add(10*time.Second)); got != 0 {
		t.Errorf("wait after 10s: %v, want 0", got)
	}
}

// What all bodies may take together is given back, whatever became of them.
func TestTheBudgetOfBodies(t *testing.T) {
	f := NewFront(nil, nil, Options{})
	read := func(body string, limit int) (got string, err *fault.Error) {
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
		err = f.Body(httptest.NewRecorder(), r, limit, func(text []byte) *fault.Error { got = string(text); return nil })
		return got, err
	}
	f.budget.max = 10
	if _, err := read("{}", 1<<20); err == nil || err.Code != fault.Unavailable || err.RetryAfter == 0 {
		t.Errorf("without room: %v", err)
	}
	f.budget.max = maxUnderWay
	if got, err := read("{}", 1<<20); got != "{}" || err != nil {
		t.Errorf("with room: %q, %v", got, err)
	}
	if _, err := read(strings.Repeat(" ", 2<<20), 1<<20); err == nil || err.Code != fault.TooLarge || !strings.Contains(err.Error(), "1 MiB") {
		t.Errorf("too large: %v", err)
	}
	if used := f.budget.used.Load(); used != 0 {
		t.Errorf("%d bytes of the budget were not given back", used)
	}
}

// What is set aside is redacted, and the file is bounded.
func TestSetAside(t *testing.T) {
	path := t.TempDir() + "/aside.jsonl"
	f := NewFront(nil, nil, Options{Aside: path})
	f.SetAside("agentcat", "the body is no JSON", []byte("mail max@example.com "+strings.Repeat("x", 1<<20)))
	line := readFile(t, path)
	if strings.Contains(line, "max@example.com") || !strings.Contains(line, "[EMAIL_REDACTED]") || len(line) > 2*maxAsideBody {
		t.Errorf("%d bytes: %.200s", len(line), line)
	}
	for range maxAside / maxAsideBody {
		f.SetAside("agentcat", "again", []byte(strings.Repeat("x", 1<<14)))
	}
	if n := len(readFile(t, path)); n > maxAside {
		t.Errorf("the file has %d bytes, want at most %d", n, maxAside)
	}
	if got := f.Aside(); got != 1+maxAside/maxAsideBody {
		t.Errorf("%d were counted", got)
	}
}
