package adapter

import "github.com/umpire-mcp/umpire"

// A resource that was read and a prompt that was taken are no calls, so that
// neither kind cancelled nor kind round, which are counted beside the calls, is
// theirs. They keep their own kind, have no outcome, and say which it was
// (outcomes.md 1.2).
const (
	metaCancelled = "umpire.cancelled"
	metaRound     = "umpire.round"
)

// IsRead reports whether e tells of a resource or prompt.
func IsRead(e *umpire.Event) bool { return e.Kind == "resource" || e.Kind == "prompt" }

// Withdraw says that the client gave e up.
func Withdraw(e *umpire.Event) { instead(e, "cancelled", metaCancelled) }

// AskBack says that the answer only asked for more input.
func AskBack(e *umpire.Event) { instead(e, "round", metaRound) }

func instead(e *umpire.Event, kind, mark string) {
	e.Outcome = ""
	if !IsRead(e) {
		e.Kind = kind
		return
	}
	if e.Meta == nil {
		e.Meta = make(map[string]any, 1)
	}
	e.Meta[mark] = true
}
