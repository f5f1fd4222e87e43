package mcpwire

import (
	"time"

	"github.com/umpire-mcp/umpire"
)

// Unseen is the Ending of a call whose answer may have passed where nobody could
// read it: in a coding that is not known, or while the observer was too far
// behind. It makes no event, because none would be true, and is counted in
// Stats.Unseen.
const Unseen Ending = "unseen"

// Gap says that frames of either side are missing at this place. The calls that
// are open end as Unseen; what was learned of client and server stays, and calls
// that begin after the gap are judged as ever.
func (c *Conversation) Gap(at time.Time) {
	c.within(func() (events []umpire.Event) {
		for _, r := range c.all() {
			c.drop(r)
			events = append(events, c.silent(r, Unseen)...)
		}
		c.pages, c.stale = pages{}, true // a change of the list may be among what is missing
		return events
	})
}
