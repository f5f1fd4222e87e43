package blackbox

import (
	"encoding/csv"
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

var fileLink = regexp.MustCompile(`<a href="(/api/v1/([^"?]+)\.(csv|ndjson|parquet)[^"]*)" download>`)

// Every list of every page can be had as a file: under the page's filters, with as many
// rows in each of the three forms.
func TestListsOfPagesAsFiles(t *testing.T) {
	t.Parallel()
	s, _, _ := known(t)
	for page, lists := range map[string]string{
		"": "insights? tools pairs clients", "tools": "tools", "clients": "clients", "errors": "errors errors/types", "empty": "empty", "reported": "reported",
		"unknown-tools": "unknown-tools", "never-called": "never-called", "releases": "releases", "calls": "calls", "sessions": "sessions", "sessions/one": "calls",
		"users": "users", "intents": "intents intents/missing", "resources": "resources prompts",
		"tools/find": "errors errors/types bad-arguments empty reported clients definitions calls", "tools/sell?client=claude": "clients definitions calls",
	} {
		status, body := s.request(http.MethodGet, "/p/shop/"+page, "", "")
		if status != http.StatusOK {
			t.Fatalf("%s: %d", page, status)
		}
		have := map[string]map[string]string{}
		for _, m := range fileLink.FindAllStringSubmatch(body, -1) {
			if have[m[2]] == nil {
				have[m[2]] = map[string]string{}
			}
			have[m[2]][m[3]] = html.UnescapeString(m[1])
		}
		for _, list := range strings.Fields(lists) {
			list, maybe := strings.CutSuffix(list, "?")
			if len(have[list]) != 3 && !maybe {
				t.Errorf("%s: the list %s can be had in %d forms, want 3", page, list, len(have[list]))
			}
		}
		for list, forms := range have {
			if !strings.Contains(" "+strings.ReplaceAll(lists, "?", "")+" ", " "+list+" ") {
				t.Errorf("%s: the list %s is in no line of the table", page, list)
			}
			s.sameRows(t, page+": "+list, forms)
		}
	}
}

// sameRows fails where the forms of a list are not the same list, or not narrowed to
// the page's tool or client.
func (s *server) sameRows(t *testing.T, what string, forms map[string]string) {
	t.Helper()
	status, text := s.request(http.MethodGet, forms["csv"], "", "")
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(text, "\ufeff"))).ReadAll()
	if status != http.StatusOK || err != nil || len(rows) < 2 {
		t.Errorf("%s as CSV: %d, %d lines, %v: %.200s", what, status, len(rows), err, text)
		return
	}
	status, text = s.request(http.MethodGet, forms["ndjson"], "", "")
	if lines := strings.Count(text, "\n"); status != http.StatusOK || lines != len(rows)-1 {
		t.Errorf("%s as NDJSON: %d, %d lines; as CSV %d", what, status, lines, len(rows)-1)
	}
	if status, text = s.request(http.MethodGet, forms["parquet"], "", ""); status != http.StatusOK || !strings.HasPrefix(text, "PAR1") || !strings.HasSuffix(text, "PAR1") {
		t.Errorf("%s as Parquet: %d %.20q", what, status, text)
	}
	for column, name := range rows[0] {
		for _, only := range []struct{ column, address, value string }{{"tool", "tool=find", "find"}, {"tool", "tool=sell", "sell"}, {"client", "client=claude", "claude"}, {"session", "session=one", "one"}} {
			if name != only.column || !strings.Contains(forms["csv"], only.address) {
				continue
			}
			for _, row := range rows[1:] {
				if row[column] != only.value {
					t.Errorf("%s: a row of %s %s, under %s", what, name, row[column], only.address)
				}
			}
		}
	}
}
