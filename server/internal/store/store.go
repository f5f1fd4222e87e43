package store

import (
	"context"
	"errors"
	"time"

	"github.com/umpire-mcp/umpire"
)

// Entry is one event on its way from the log into the store.
type Entry struct {
	// Seq is the entry's position in the log; it rises by one with each entry.
	Seq uint64
	// Project is the number that package meta gives a project for life.
	Project uint32
	// ReceivedAt is when the door took the event.
	ReceivedAt time.Time
	Event      umpire.Event
	// Fresh: no event of the id was ever stored, for sure. It saves a backend to look
	// for what an Agreed id or a Whole replaces.
	Fresh bool
}

// Agreed reports whether the id is one that the proxy and the SDK give to the
// same call, each by itself (outcomes.md 1.4): a UUID of version 8.
func Agreed(id umpire.ID) bool { return id[6]>>4 == 8 }

// Halves is the sender (seen_by) that tells of a failed call twice: that it failed,
// and by itself of the exception that the handler threw. What knows of the exception
// has handler_ran yes, and replaces what does not.
const Halves = "sentry"

// Half is what Known says in place of who saw it, of a call that may be replaced so.
const Half = Halves + ", without exception"

// Whole reports whether e is a call of Halves of which nothing is to come.
func Whole(e *umpire.Event) bool {
	return e.SeenBy == Halves && e.Kind == "call" && e.HandlerRan == "yes"
}

// Store keeps events and answers questions about them. Its methods may be called
// from many goroutines at once; Apply is called by one at a time.
type Store interface {
	Writer
	Reader
	Keeper
	Close() error
}

// ErrUnavailable is wrapped by an error of Apply that is the store's own and no
// event's: the disk is full, the memory too small, the engine away. No event is set
// aside for it.
var ErrUnavailable = errors.New("the store cannot take events now")

// Writer is what the pipeline needs.
type Writer interface {
	// Apply stores a batch, for all questions to see at once: the raw events and
	// the rollup deltas that they cause. After an error nothing of the batch is
	// stored, or a first part of it. Entries that were applied before are ignored,
	// so that a replay of the log is harmless, and to try again, too. Ids are new, but for Agreed ones: of those,
	// what the SDK saw replaces what the proxy saw, and all else is a duplicate. And
	// but for those of Halves: what is Whole replaces what is a Half.
	Apply(ctx context.Context, batch []Entry) error
	// Position is the Seq of the last entry that will be here after a crash; 0 for a
	// new store. What was applied behind it must be applied again then, and the log
	// must hold it until then. Close, CopyTo, Expire, Erase and DeleteProject leave
	// nothing behind it.
	Position(ctx context.Context) (uint64, error)
	// Known tells which of the ids are stored for the project, and by whom they
	// were seen (or Half): the exact check behind the pipeline's set of recent ids.
	Known(ctx context.Context, project uint32, ids []umpire.ID) (seenBy map[umpire.ID]string, err error)
	// RecentIDs calls yield with each event received since the given time, to
	// rebuild that set after a restart.
	RecentIDs(ctx context.Context, since time.Time, yield func(project uint32, id umpire.ID)) error
	// DeleteProject removes everything that is stored under the project.
	DeleteProject(ctx context.Context, project uint32) error
}

// Refuser is a Writer that may find out only after Apply that it cannot keep an event.
type Refuser interface {
	// OnRefusal says who is told of such an event, by its Seq, before Position passes
	// it. An error keeps it, and all that came with it, from being passed. The call may
	// come from within Apply, and must not call the store.
	OnRefusal(tell func(seq uint64, cause error) error)
}

// Reader is what package query needs: one method a question. Each reads the
// hourly rollups when the filter allows (Filter.FromRollups) and raw events
// otherwise, with the same result. What is not known goes by the name Unknown
// in every row. Rows come most called first, ties by name.
type Reader interface {
	// Snapshot calls do with a Reader that sees the store as it is now, whatever
	// is written meanwhile: for an answer of several parts that must agree.
	Snapshot(ctx context.Context, do func(Reader) error) error

	Totals(ctx context.Context, f Filter) (Totals, error)
	// TotalsApart are the Totals of the range before the moment, and since. For rollups
	// to answer, it must be a whole hour as the range's ends are.
	TotalsApart(ctx context.Context, f Filter, at time.Time) (before, since Totals, err error)
	// Series has one point per step that holds calls, oldest first, each At
	// StepStart; gaps are filled by the caller. Raw events are read unless step
	// is a whole number of hours.
	Series(ctx context.Context, f Filter, step time.Duration) ([]Point, error)
	ByTool(ctx context.Context, f Filter) ([]ToolRow, error)
	ByClient(ctx context.Context, f Filter) ([]ClientRow, error)
	// Senders are who told of the calls, most calls first.
	Senders(ctx context.Context, f Filter, limit int) ([]SenderRow, error)
	// Catalog is the newest definition of each tool that a server ever listed,
	// narrowed by project, server, version, env and tool of the filter.
	Catalog(ctx context.Context, f Filter) ([]CatalogRow, error)
	// Definitions are the versions that a tool's definition had, oldest first,
	// narrowed as Catalog is.
	Definitions(ctx context.Context, f Filter, tool string) ([]DefinitionRow, error)
	UnknownTools(ctx context.Context, f Filter, limit int) ([]UnknownToolRow, error)
	Failures(ctx context.Context, f Filter, limit int) ([]FailureRow, error)
	// FailurePlaces says of the groups of failures where they occurred.
	FailurePlaces(ctx context.Context, f Filter, limit int) ([]FailurePlaceRow, error)
	// AfterFailures says what sessions did after the groups of failures
	// (outcomes.md 6.5), most calls with a session first. Total is of all groups.
	AfterFailures(ctx context.Context, f Filter, limit int) (total After, rows []AfterRow, err error)
	ErrorTypes(ctx context.Context, f Filter, limit int) ([]ErrorTypeRow, error)
	// ErrorSeries has a row for each step, outcome and class that failures have,
	// oldest first, then by outcome and class.
	ErrorSeries(ctx context.Context, f Filter, step time.Duration) ([]ErrorPoint, error)
	BadParams(ctx context.Context, f Filter, limit int) ([]BadParamRow, error)
	EmptyRules(ctx context.Context, f Filter) ([]NameCount, error)
	Suspects(ctx context.Context, f Filter) ([]NameCount, error)
	// Neighbours counts the tools called right before and right after the
	// filter's one tool, in the same session and within the filter's range; the
	// rest of the filter narrows the tool's own calls, not its neighbours.
	Neighbours(ctx context.Context, f Filter, limit int) (before, after []NameCount, err error)
	// Facets lists what the project's filters can be set to in the filter's
	// range; nothing else of the filter narrows it.
	Facets(ctx context.Context, f Filter) (Facets, error)
	// CallList is the calls of the filter, newest first, behind the place, at most so
	// many. They are read from events.
	CallList(ctx context.Context, f Filter, behind Place, limit int) ([]CallRow, error)
	// IntentList is CallList of the calls that tell an intent.
	IntentList(ctx context.Context, f Filter, behind Place, limit int) ([]CallRow, error)
	// MissingList is what models told of tools that they miss, as CallList is.
	MissingList(ctx context.Context, f Filter, behind Place, limit int) ([]CallRow, error)
	// IntentTools counts the calls of each tool, and those that tell an intent; the most
	// told first.
	IntentTools(ctx context.Context, f Filter, limit int) ([]IntentRow, error)
	// UserList is the users whom the calls name, behind one of so many calls and that
	// name. Since is how far before the range they are looked for.
	UserList(ctx context.Context, f Filter, since time.Time, calls int64, name string, limit int) ([]UserRow, error)
	// UserSeries counts users as Series does calls.
	UserSeries(ctx context.Context, f Filter, since time.Time, step time.Duration) ([]UserPoint, error)
	// UserTotals counts users; a day, a week (7 days) and a month (30 days) end where
	// the filter does, or at its Now if that is earlier.
	UserTotals(ctx context.Context, f Filter, since time.Time) (UserTotals, error)
	// Reads is what was read of a kind, resource or prompt.
	Reads(ctx context.Context, f Filter, kind string, limit int) ([]ReadRow, error)
	// SessionList is the sessions of the filter's calls, the last call first. It looks
	// at those only that called at or after since, so that the newest are found soon.
	SessionList(ctx context.Context, f Filter, since time.Time, a SessionsAsked, limit int) ([]SessionRow, error)
	// SessionParts are when a derived session called within the filter's range,
	// narrowed by project only, cut at silences: oldest first.
	SessionParts(ctx context.Context, f Filter, session string) ([]SessionPart, error)
	// SessionSpan is the hours between which a session ever called; false if never.
	SessionSpan(ctx context.Context, project uint32, session string) (from, to time.Time, found bool, err error)
	// Event is the event of that id with everything that is stored of it; nil if
	// there is none. Of the filter only project and range narrow it.
	Event(ctx context.Context, f Filter, id umpire.ID) (*Stored, error)
	VersionReader
	ReasonReader
	// Kept tells since when everything of the project is there.
	Kept(ctx context.Context, project uint32) (Kept, error)
}
