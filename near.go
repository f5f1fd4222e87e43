package umpire

import (
	"cmp"
	"slices"
	"strings"
)

// Limits that keep nearest quick whatever a caller asks for.
const (
	nearNames = 10_000  // candidates looked at
	nearBytes = 200     // of a name; a longer one is cut
	nearEdits = 64      // bytes of a name that are compared letter by letter
	nearCells = 200_000 // steps of such comparisons in one search, about 1 ms: a call waits
)

// nearest returns those of the candidates that name was probably meant to be,
// the closest first, at most max (outcomes.md 5.5). In this order: the same but
// for case and separators; the same behind or without a prefix such as
// "server:" or "mcp__server__"; a few letters apart, at most a third of them;
// and, if there is none of these, made of the same words. The same input gives the same answer.
func nearest(name string, candidates []string, max int) []string {
	if name == "" || max <= 0 || len(candidates) == 0 {
		return nil
	}
	name = cutBytes(name, nearBytes)
	candidates = candidates[:min(len(candidates), nearNames)]
	var search nearSearch
	search.name.read(name)
	found := search.among(candidates, search.distance)
	if len(found) == 0 { // words are for want of better
		search.words = nearWords(unprefixed(name))
		found = search.among(candidates, search.shared)
	}
	slices.SortFunc(found, func(a, b nearMatch) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), strings.Compare(a.name, b.name))
	})
	found = slices.CompactFunc(found, func(a, b nearMatch) bool { return a.name == b.name })
	names := make([]string, 0, min(len(found), max))
	for _, m := range found[:min(len(found), max)] {
		names = append(names, m.name)
	}
	return names
}

type nearMatch struct {
	name     string
	distance int
}

// Distances: each way of being near has its thousand.
const (
	nearSame   = 0
	nearPrefix = 1000
	nearLetter = 2000
	nearWord   = 3000
	nearNone   = 4000
)

// nearSearch is one name made ready to be compared with many.
type nearSearch struct {
	name, other nearForm
	words       []string
	cells       int // spent
	rows        editRows
}

// among returns the candidates that are near by a measure.
func (n *nearSearch) among(candidates []string, measure func(string) int) (found []nearMatch) {
	for _, c := range candidates {
		if c == "" || len(c) > nearBytes {
			continue
		}
		if d := measure(c); d < nearNone {
			found = append(found, nearMatch{c, d})
		}
	}
	return found
}

// distance compares by letters.
func (n *nearSearch) distance(candidate string) int {
	n.other.read(candidate)
	name, form, nameShort, short := n.name.whole(), n.other.whole(), n.name.short(), n.other.short()
	switch {
	case len(form) == 0:
		return nearNone
	case string(form) == string(name):
		return nearSame
	case len(short) > 0 && (string(nameShort) == string(short) || string(nameShort) == string(form) || string(name) == string(short)):
		return nearPrefix
	}
	best := n.letters(name, form)
	if len(short) < len(form) || len(nameShort) < len(name) {
		best = min(best, n.letters(nameShort, short))
	}
	return best
}

// letters is the share of letters by which a and b differ, in thousandths, or
// nearNone when it is more than a third.
func (n *nearSearch) letters(a, b []byte) int {
	length := max(len(a), len(b))
	limit := length / 3
	if length == 0 || length > nearEdits || max(len(a)-len(b), len(b)-len(a)) > limit || n.cells > nearCells || !sameBag(a, b, limit) {
		return nearNone
	}
	n.cells += len(a) * (2*limit + 1)
	if d := n.rows.distance(a, b, limit); d <= limit {
		return nearLetter + d*1000/length
	}
	return nearNone
}

// shared is how few words the name has in common with the candidate, in
// thousandths; nearNone below half, or if only verbs are shared.
func (n *nearSearch) shared(candidate string) int {
	words := nearWords(unprefixed(candidate))
	same, telling := 0, false
	for _, w := range words {
		if slices.Contains(n.words, w) {
			same++
			telling = telling || !isVerb(w)
		}
	}
	all := max(len(words), len(n.words))
	if !telling || 2*same < all {
		return nearNone
	}
	return nearWord + 999 - same*999/all
}

func isVerb(w string) bool {
	switch w {
	case "get", "list", "create", "update", "delete", "set", "add", "remove", "fetch", "read", "write", "is", "to", "by", "of", "the":
		return true
	}
	return false
}

// nearForm is a name as it is compared: letters and digits only, in lower case.
type nearForm struct {
	room      [nearBytes]byte
	n, prefix int // bytes of the name, and of its prefix
}

func (f *nearForm) read(name string) {
	behind := len(name) - len(unprefixed(name))
	f.n, f.prefix = 0, 0
	for k := range len(name) {
		if k == behind {
			f.prefix = f.n
		}
		c := name[k]
		switch {
		case c >= 'A' && c <= 'Z':
			c |= 0x20
		case isSeparator(c):
			continue
		}
		f.room[f.n] = c
		f.n++
	}
	if behind == len(name) {
		f.prefix = f.n
	}
}

func (f *nearForm) whole() []byte { return f.room[:f.n] }

// short is the name without its prefix.
func (f *nearForm) short() []byte { return f.room[f.prefix:f.n] }

func isSeparator(c byte) bool {
	switch c {
	case '_', '-', '.', ':', '/', ' ':
		return true
	}
	return false
}

// unprefixed returns what follows the name of a server: mcp__github__get_issue,
// github:get_issue, github.get_issue, github/get_issue.
func unprefixed(name string) string {
	from := 0
	if at := strings.LastIndex(name, "__"); at >= 0 {
		from = at + 2
	}
	if at := strings.LastIndexAny(name, ":./"); at >= from {
		from = at + 1
	}
	return name[from:]
}

// nearWords splits a name at separators and capitals. A plural counts as its
// singular.
func nearWords(name string) []string {
	var words []string
	from := 0
	add := func(to int) {
		if w := strings.ToLower(name[from:to]); w != "" {
			if len(w) > 3 {
				w = strings.TrimSuffix(w, "s")
			}
			words = append(words, w)
		}
	}
	for k := range len(name) {
		switch c := name[k]; {
		case isSeparator(c):
			add(k)
			from = k + 1
		case k > from && c >= 'A' && c <= 'Z' && (name[k-1] < 'A' || name[k-1] > 'Z'):
			add(k)
			from = k
		}
	}
	add(len(name))
	return words
}

// sameBag is a quick refusal: two names within limit edits differ in at most
// that many letters, wherever these stand.
func sameBag(a, b []byte, limit int) bool {
	var count [64]int8
	for k := range len(a) {
		count[a[k]%64]++
	}
	for k := range len(b) {
		count[b[k]%64]--
	}
	more, less := 0, 0
	for _, n := range count {
		if n > 0 {
			more += int(n)
		} else {
			less -= int(n)
		}
	}
	return max(more, less) <= limit
}

// editRows holds the three rows that an edit distance needs.
type editRows [3][nearEdits + 1]int

// distance is how many insertions, deletions, replacements and swaps of
// neighbours turn a into b (optimal string alignment), or more than limit. Both
// are at most nearEdits long; only cells within limit of the diagonal are read.
func (rows *editRows) distance(a, b []byte, limit int) int {
	far := limit + 1
	if max(len(a)-len(b), len(b)-len(a)) > limit {
		return far
	}
	before, prev, row := &rows[0], &rows[1], &rows[2]
	for j := range len(b) + 1 {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		low, high := max(1, i-limit), min(len(b), i+limit)
		row[0] = i
		if low > 1 {
			row[low-1] = far
		}
		best := row[low-1]
		for j := low; j <= high; j++ {
			d := prev[j-1]
			if a[i-1] != b[j-1] {
				d++
			}
			d = min(d, row[j-1]+1)
			if j < i+limit { // the cell above lies in the band
				d = min(d, prev[j]+1)
			}
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, before[j-2]+1)
			}
			row[j] = d
			best = min(best, d)
		}
		if best > limit {
			return far
		}
		before, prev, row = prev, row, before
	}
	return prev[len(b)]
}
