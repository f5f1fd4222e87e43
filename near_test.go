package umpire

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	for _, c := range []struct {
		name, in string
		from     []string
		want     []string
	}{
		{"case and separators", "getIssue", []string{"get_issues", "list_issues", "get_issue"}, []string{"get_issue", "get_issues"}},
		{"prefix of a client", "mcp__github__get_issue", []string{"create_issue", "get_issue"}, []string{"get_issue"}},
		{"prefix of a server", "github:get_issue", []string{"get_issue"}, []string{"get_issue"}},
		{"prefix missing", "get_issue", []string{"github.get_issue"}, []string{"github.get_issue"}},
		{"other prefix", "gh/get_issue", []string{"github.get_issue"}, []string{"github.get_issue"}},
		{"one letter", "serach_books", []string{"search_books", "add_book"}, []string{"search_books"}},
		{"swap costs one", "abdc", []string{"abcd"}, []string{"abcd"}},
		{"words turned round", "issue_create", []string{"create_issue", "create_label"}, []string{"create_issue"}},
		{"word shared", "book_search", []string{"search_books", "delete_all"}, []string{"search_books"}},
		{"only a verb shared", "get_weather_now", []string{"get_user"}, []string{}},
		{"nothing near", "translate", []string{"add", "move", "clear_cache"}, []string{}},
		{"short name", "x", []string{"y", "z"}, []string{}},
		{"given twice", "serch", []string{"search", "search"}, []string{"search"}},
		{"no list", "search", nil, nil},
		{"no name", "", []string{"a"}, nil},
		{"nothing behind the prefix", "github:", []string{"gitlab:", "a.b"}, []string{"gitlab:"}},
		{"separators only", "___", []string{"__", "a"}, []string{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := nearest(c.in, c.from, 3); !slices.Equal(got, c.want) {
				t.Errorf("nearest(%q) = %q, want %q", c.in, got, c.want)
			}
		})
	}
}

func TestNearestOrderOfCandidates(t *testing.T) {
	from := []string{"read_file", "read_files", "write_file", "readfile2", "file_read", "list_files"}
	want := nearest("readFile", from, 3)
	for range 20 {
		from = append(from[1:], from[0])
		if got := nearest("readFile", from, 3); !slices.Equal(got, want) {
			t.Fatalf("%q gives %q, want %q", from, got, want)
		}
	}
}

// TestEditDistance compares the banded distance with the plain recurrence.
func TestEditDistance(t *testing.T) {
	words := []string{"", "a", "ab", "ba", "abc", "acb", "search", "serach", "sarech", "research", "kitten", "sitting", "aaaa", "aaab", "baaa", "abababab", "babababa"}
	var rows editRows
	for _, a := range words {
		for _, b := range words {
			want := plainDistance(a, b)
			for limit := range 9 {
				got := rows.distance([]byte(a), []byte(b), limit)
				if got != want && (got <= limit || want <= limit) {
					t.Errorf("distance(%q, %q, %d) = %d, want %d", a, b, limit, got, want)
				}
			}
		}
	}
}

func plainDistance(a, b string) int {
	switch {
	case a == "":
		return len(b)
	case b == "":
		return len(a)
	}
	d := plainDistance(a[1:], b[1:])
	if a[0] != b[0] {
		d = 1 + min(d, plainDistance(a[1:], b), plainDistance(a, b[1:]))
		if len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0] {
			d = min(d, 1+plainDistance(a[2:], b[2:]))
		}
	}
	return d
}

// TestNearestIsBounded counts the steps that ten thousand names, all equally
// far away, take.
func TestNearestIsBounded(t *testing.T) {
	var from []string
	for k := range nearNames {
		from = append(from, strings.Repeat("ab", 28)+fmt.Sprintf("%05d", k))
	}
	var s nearSearch
	s.name.read(strings.Repeat("ba", 31))
	for _, c := range from {
		s.distance(c)
	}
	if most := nearCells + nearEdits*nearEdits; s.cells > most {
		t.Errorf("%d steps, at most %d", s.cells, most)
	}
	if got := nearest(strings.Repeat("x_", 5000), from, 3); len(got) != 0 {
		t.Errorf("near a name of x: %q", got)
	}
}
