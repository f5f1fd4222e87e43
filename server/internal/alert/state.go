package alert

import (
	"context"
	"time"
)

// state is what is known of a rule between two looks.
type state struct {
	Firing   bool      `json:"firing,omitempty"`
	Incident string    `json:"incident,omitempty"`
	Since    time.Time `json:"since,omitzero"`
	// Known is when a look last could tell anything.
	Known time.Time `json:"known,omitzero"`
	// Told: the incident's first message was put out.
	Told bool `json:"told,omitempty"`
	// Week is the last that a digest was made of.
	Week   string    `json:"week,omitempty"`
	Outbox []pending `json:"outbox,omitempty"`
}

// pending is a message on its way to one place.
type pending struct {
	To       string    `json:"to"`
	Message  Message   `json:"message"`
	Attempts int       `json:"attempts"`
	Next     time.Time `json:"next"`
}

const (
	// forgetAfter is how long after the last look that could tell anything an incident
	// is over: nobody calls any more, or nobody reports it.
	forgetAfter = 24 * time.Hour
	maxAttempts = 12
	maxOutbox   = 50
)

// step takes the rule one look further and reports whether anything is to be saved.
func (e *Engine) step(r *Rule, s *state, l look, muted, now time.Time) (changed bool) {
	if l.known && now.Sub(s.Known) >= time.Hour || l.known && s.Firing {
		s.Known, changed = now.UTC(), true
	}
	switch {
	case !s.Firing && l.known && l.over:
		s.Firing, s.Incident, s.Since, s.Told, s.Known = true, newID(), now.UTC(), false, now.UTC()
		changed = true
	case s.Firing && (l.known && l.back || now.Sub(s.Known) > forgetAfter+r.window):
		if s.Told {
			s.put(r.To, e.message(r, s, over, l, now), now)
		}
		s.Firing, s.Told = false, false
		return true
	}
	if s.Firing && !s.Told && l.over && !muted.After(now) {
		s.Told, changed = true, true
		s.put(r.To, e.message(r, s, firing, l, now), now)
	}
	return changed
}

func (s *state) put(to []string, m Message, now time.Time) {
	for _, place := range to {
		if len(s.Outbox) < maxOutbox {
			s.Outbox = append(s.Outbox, pending{To: place, Message: m, Next: now.UTC()})
		}
	}
}

// flush tries what is due, to each place in the order in which it was said, and
// reports whether anything was tried.
func (e *Engine) flush(ctx context.Context, s *state, now time.Time) (tried bool) {
	waiting := map[string]bool{}
	left := s.Outbox[:0:0]
	for _, p := range s.Outbox {
		if waiting[p.To] || p.Next.After(now) || ctx.Err() != nil {
			waiting[p.To] = true
			left = append(left, p)
			continue
		}
		tried = true
		err := e.deliver(ctx, p.To, p.Message, now)
		if err == nil {
			continue
		}
		p.Attempts++
		log := e.opt.Log.With("alert", p.Message.Alert, "project", p.Message.Project, "to", hidden(p.To), "attempts", p.Attempts, "err", err)
		if p.Attempts >= maxAttempts {
			log.ErrorContext(ctx, "a message of an alert is given up")
			continue
		}
		log.WarnContext(ctx, "a message of an alert is not delivered yet")
		p.Next = now.UTC().Add(backoff(p.Attempts))
		waiting[p.To] = true
		left = append(left, p)
	}
	s.Outbox = left
	return tried
}

// backoff is half a minute, then twice as long each time, up to two hours.
func backoff(attempts int) time.Duration {
	return min(30*time.Second<<min(attempts-1, 10), 2*time.Hour)
}
