package query

import (
	"slices"
	"strings"
)

// Nearest returns up to most of the names that are close to the one asked for:
// those that it takes few edits to reach, and those that contain it.
func Nearest(asked string, names []string, most int) []string {
	type near struct {
		name string
		far  int
	}
	var found []near
	low := strings.ToLower(asked)
	if len(low) > maxText {
		return nil
	}
	for _, name := range names {
		other := strings.ToLower(name)
		far := distance(low, other)
		if far > max(1, min(len(low), len(other))/3) {
			if len(low) < 3 || !strings.Contains(other, low) {
				continue
			}
		}
		found = append(found, near{name, far})
	}
	slices.SortStableFunc(found, func(a, b near) int { return a.far - b.far })
	if len(found) > most {
		found = found[:most]
	}
	out := make([]string, len(found))
	for i := range found {
		out[i] = found[i].name
	}
	return out
}

// distance is the number of bytes to insert, delete or replace between a and b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost = 1 + min(diagonal, row[j], row[j-1])
			}
			diagonal, row[j] = row[j], cost
		}
	}
	return row[len(b)]
}
