package verdict

import "github.com/umpire-mcp/umpire"

// Verdict is one line of umpire classify. Every key is always there; what is not
// known or does not apply is null, and a list is empty.
type Verdict struct {
	ID          any               `json:"id"`   // as the input calls it
	Kind        string            `json:"kind"` // call cancelled round, or pending, refused
	Outcome     *string           `json:"outcome"`
	Empty       *bool             `json:"empty"`
	EmptyRule   *string           `json:"empty_rule"`
	Cause       *string           `json:"cause"`
	ErrorType   *string           `json:"error_type"`
	ErrorStatus *int              `json:"error_status"`
	BadParams   []umpire.BadParam `json:"bad_params"`
	Suspects    []string          `json:"suspects"`
	Fingerprint *string           `json:"fingerprint"`
	Why         string            `json:"why"`
}

// Of returns the verdict on an event. id is what the input calls it by.
func Of(id any, e *umpire.Event) Verdict {
	v := Verdict{
		ID: id, Kind: e.Kind, BadParams: e.BadParams, Suspects: e.Suspects,
		Outcome: known(string(e.Outcome)), EmptyRule: known(e.EmptyRule), Cause: known(e.Cause),
		ErrorType: known(e.ErrorType), Fingerprint: known(e.Fingerprint), Why: Why(e),
	}
	if e.Kind == "call" {
		v.Empty = &e.Empty
	}
	if e.ErrorStatus != 0 {
		v.ErrorStatus = &e.ErrorStatus
	}
	if v.BadParams == nil {
		v.BadParams = []umpire.BadParam{}
	}
	if v.Suspects == nil {
		v.Suspects = []string{}
	}
	return v
}

func known(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
