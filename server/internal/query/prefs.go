package query

import "slices"

// Prefs are what a project's people decided about how its figures are told.
type Prefs struct {
	// PricePerMillion is what a million tokens cost, in US dollars; nil: not said.
	PricePerMillion *float64
	// Muted are the empty answers that are fine; they stay in the counts and make no
	// insight.
	Muted []Mute
}

// Mute is a kind of empty answer that is fine: of a tool, by a rule (outcomes.md 3.3).
// An empty Rule is all of the tool's.
type Mute struct {
	Tool string `json:"tool"`
	Rule string `json:"rule"`
}

// cost is what the tokens cost, in US dollars; nil without a price.
func (p Prefs) cost(tokens int64) *float64 {
	if p.PricePerMillion == nil {
		return nil
	}
	cost := float64(tokens) / 1e6 * *p.PricePerMillion
	return &cost
}

// IsMuted reports whether empty answers of the tool by the rule are fine.
func (p Prefs) IsMuted(tool, rule string) bool {
	for _, m := range p.Muted {
		if m.Tool == tool && (m.Rule == "" || m.Rule == rule) {
			return true
		}
	}
	return false
}

// Has reports whether exactly this mute is there.
func (p Prefs) Has(tool, rule string) bool { return slices.Contains(p.Muted, Mute{tool, rule}) }

// byRule reports whether only some of the tool's empty answers are fine.
func (p Prefs) byRule(tool string) bool {
	return !p.IsMuted(tool, "") && slices.ContainsFunc(p.Muted, func(m Mute) bool { return m.Tool == tool })
}
