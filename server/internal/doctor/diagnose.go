package doctor

import (
	"fmt"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
)

// Level is how bad a finding is.
type Level string

// The levels. Wrong is what makes umpire doctor end with exit code 1.
const (
	OK    Level = "ok"
	Note  Level = "note"
	Wrong Level = "wrong"
)

// Finding is one thing that was looked at.
type Finding struct {
	// Check names what was looked at: server key clock disk store lag dead_letters
	// set_aside log events outcomes version.
	Check string `json:"check"`
	Level Level  `json:"level"`
	Text  string `json:"text"`
	// Do is what to do next; empty where nothing is to be done.
	Do string `json:"do,omitempty"`
}

// Seen is what whoever asks knows himself.
type Seen struct {
	Version string // of the program that asks
	// Sent and Got are when the question was sent and the answer came, by the clock
	// of whoever asks. The zero time: it is the same machine's.
	Sent, Got time.Time
}

const (
	// clockApart is how far two clocks may be apart before events are dated wrongly:
	// what is further ahead than 10 minutes gets the time received (docs/wire.md).
	clockApart = 2 * time.Minute
	littleDisk = 1 << 30
	noDisk     = 256 << 20
	lagNote    = 30 * time.Second
	lagWrong   = 5 * time.Minute
	silence    = 24 * time.Hour
)

// Diagnose looks at everything. What is fine is in the list, too.
func Diagnose(s State, by Seen) []Finding {
	var list []Finding
	add := func(check string, level Level, do, text string, args ...any) {
		list = append(list, Finding{Check: check, Level: level, Text: fmt.Sprintf(text, args...), Do: do})
	}
	version(s, by, add)
	clock(s, by, add)
	disk(s, add)
	if s.Intake != nil {
		intake(*s.Intake, add)
	}
	if len(s.Projects) == 0 {
		add("events", Wrong, "umpire key add --project NAME --write makes a project and a key for it", "there is no project yet")
	}
	for _, p := range s.Projects {
		project(p, s.Now, add)
	}
	return list
}

type add func(check string, level Level, do, text string, args ...any)

func version(s State, by Seen, add add) {
	if by.Version != "" && by.Version != s.Version {
		add("version", Note, "bring both to the same version", "the server is umpire %s, this program %s", s.Version, by.Version)
		return
	}
	add("version", OK, "", "umpire %s, role %s, up for %s", s.Version, s.Role, s.Now.Sub(s.StartedAt).Round(time.Second))
}

func clock(s State, by Seen, add add) {
	if !by.Sent.IsZero() {
		apart := s.Now.Sub(by.Sent.Add(by.Got.Sub(by.Sent) / 2))
		if apart > clockApart || apart < -clockApart {
			add("clock", Wrong, "set both by NTP (timedatectl set-ntp true): an event that is dated more than 10 minutes ahead is kept under the time it was received",
				"the server's clock and this one are %s apart", apart.Abs().Round(time.Second))
			return
		}
	}
	if s.Intake != nil && s.Intake.Ahead > 0 {
		add("clock", Note, "set the clocks of the machines that send by NTP (timedatectl set-ntp true); those events were kept under the time they were received",
			"%d events came dated more than 10 minutes ahead of the server's clock since the start", s.Intake.Ahead)
	}
	if s.Intake != nil && s.Intake.ClockSteps > 0 {
		add("clock", Note, "let NTP move it slowly; events kept their own times", "the server's clock was set %d times since the start", s.Intake.ClockSteps)
		return
	}
	add("clock", OK, "", "%s", s.Now.UTC().Format(time.RFC3339))
}

func disk(s State, add add) {
	free := humanize.IBytes(uint64(max(s.Disk.FreeBytes, 0)))
	switch d := s.Disk; {
	case d.TotalBytes == 0:
		add("disk", OK, "", "how much is free is not known on this system")
	case d.FreeBytes < noDisk:
		add("disk", Wrong, "make room now, or shorten what is kept (umpire project retention); events are refused when nothing is left", "%s are free", free)
	case d.FreeBytes < littleDisk:
		add("disk", Note, "make room soon, or shorten what is kept (umpire project retention)", "%s are free", free)
	default:
		add("disk", OK, "", "%s of %s are free", free, humanize.IBytes(uint64(d.TotalBytes)))
	}
}

func intake(in Intake, add add) {
	if in.Trouble != "" {
		add("store", Wrong, "nothing that was acknowledged is lost: it is in the log. Mend the cause; if events are refused since a disk error, start the server again", "%s", in.Trouble)
	} else {
		add("store", OK, "", "takes events")
	}
	wait := time.Duration(in.Lag.Seconds * float64(time.Second)).Round(time.Second)
	switch behind := fmt.Sprintf("%d events wait in the log, the oldest for %s, %s of at most %s", in.Lag.Events, wait,
		humanize.IBytes(uint64(max(in.Lag.Bytes, 0))), humanize.IBytes(uint64(max(in.Lag.LimitBytes, 0)))); {
	case wait > lagWrong || in.Lag.Bytes > in.Lag.LimitBytes/2:
		add("lag", Wrong, "see what the server's log says of the store; beyond the limit senders get 503 and keep their events (--max-backlog)", "%s", behind)
	case wait > lagNote:
		add("lag", Note, "the store is slower than its senders, or was; look again in a minute", "%s", behind)
	default:
		add("lag", OK, "", "the store is up to date: %d events are on their way", in.Lag.Events)
	}
	letters(in.DeadLetters, add)
	if in.SetAside > 0 {
		add("set_aside", Note, "umpire dead-letters aside shows them; a sender sends what its door cannot read", "%d bodies were set aside since the start", in.SetAside)
	}
	damage(in, add)
}

func letters(d DeadLetters, add add) {
	if d.Count == 0 {
		add("dead_letters", OK, "", "none")
		return
	}
	reason, most := "", 0
	for r, n := range d.Reasons {
		if n > most || n == most && r < reason {
			reason, most = r, n
		}
	}
	add("dead_letters", Wrong, "umpire dead-letters list shows them; after an upgrade or a mended disk umpire dead-letters replay gives them to the store again, umpire dead-letters drop gives them up",
		"%d events could not be stored and were set aside, most often: %.200s", d.Count, reason)
}

func damage(in Intake, add add) {
	if in.LostEvents > 0 || len(in.Damage) > 0 {
		var where []string
		for _, d := range in.Damage[:min(len(in.Damage), 3)] {
			where = append(where, fmt.Sprintf("%s at byte %d (%s)", d.File, d.Offset, d.Reason))
		}
		level, do := Wrong, "look after the disk (smartctl, dmesg); what is behind the damage was kept, and the damaged file stays as wal/….damaged"
		if in.LostEvents == 0 {
			level, do = Note, "nothing to do: it was the end of a write that a crash cut, of which nobody was told"
		}
		add("log", level, do, "%d events may be lost; damaged: %s", in.LostEvents, strings.Join(where, "; "))
		return
	}
	if len(in.DamagedFiles) > 0 {
		add("log", Note, "they are copies to look at: delete them when you have", "damaged parts of the log were put aside: %s", strings.Join(in.DamagedFiles, ", "))
		return
	}
	add("log", OK, "", "%s, no damage", humanize.IBytes(uint64(max(in.Lag.LogBytes, 0))))
}

func project(p Project, now time.Time, add add) {
	switch {
	case p.WriteKeys == 0:
		add("events", Wrong, "umpire key add --project "+p.Name+" --write", "%s: no key in force lets events in", p.Name)
	case p.HeardAt == nil:
		add("events", Wrong, "does the sender have the endpoint and the key? UMPIRE_ENDPOINT and UMPIRE_KEY, or umpire.Options; the SDK says on stderr what is wrong", "%s: nothing ever came", p.Name)
	case now.Sub(*p.HeardAt) > silence:
		add("events", Note, "does the sender still run, and reach this address?", "%s: nothing came for %s", p.Name, now.Sub(*p.HeardAt).Round(time.Hour))
	default:
		add("events", OK, "", "%s: the last came %s ago, %d calls in 30 days", p.Name, now.Sub(*p.HeardAt).Round(time.Second), p.Calls)
	}
	if p.Dropped > 0 {
		add("events", Note, "their queue was full or the server away for too long: raise umpire.Options.QueueSize, or look at what the sender says", "%s: senders dropped %d events", p.Name, p.Dropped)
	}
	for _, u := range p.Unseen {
		if len(u.What)+len(u.LowerBound) == 0 {
			continue
		}
		text := fmt.Sprintf("%s: %s (%s, %d calls)", p.Name, u.Sender, u.SDK, u.Calls)
		if len(u.What) > 0 {
			text += " cannot show " + strings.Join(u.What, ", ")
		}
		if len(u.LowerBound) > 0 {
			text += "; only in part " + strings.Join(u.LowerBound, ", ")
		}
		add("outcomes", Note, u.Note, "%s", text)
	}
}

// Sick reports whether something is wrong.
func Sick(list []Finding) bool {
	for _, f := range list {
		if f.Level == Wrong {
			return true
		}
	}
	return false
}
