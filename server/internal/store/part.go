package store

import "time"

// Slot is a half hour in which a derived session called: when its first call began
// and its last ended (a day after its begin at most).
type Slot struct{ First, LastEnd time.Time }

// Parts cuts a derived session at its silences (Silence). The slots are of one
// session, in order. To of the last part is the zero time.
func Parts(slots []Slot) []SessionPart {
	var parts []SessionPart
	for _, s := range slots {
		if n := len(parts); n > 0 && s.First.Sub(parts[n-1].LastEnd) < Silence {
			if s.LastEnd.After(parts[n-1].LastEnd) {
				parts[n-1].LastEnd = s.LastEnd
			}
			continue
		}
		if n := len(parts); n > 0 {
			parts[n-1].To = s.First
		}
		parts = append(parts, SessionPart{From: s.First, LastEnd: s.LastEnd})
	}
	return parts
}
