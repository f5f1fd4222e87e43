package door

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/auth"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/meta"
	"github.com/umpire-mcp/umpire/server/internal/pipeline"
)

const (
	// readTimeout is how long a body may take to come.
	readTimeout = 30 * time.Second
	retrySoon   = 2 * time.Second
	// maxUnderWay bounds the memory that the bodies of all doors take together.
	maxUnderWay = 256 << 20
)

// Usage is told what the doors learn of keys and senders beside the events;
// *meta.DB is one.
type Usage interface {
	// Used: the key was used; announced, with an empty list.
	Used(key int64, at time.Time, announced bool)
	// Dropped: a sender of the project had to drop events.
	Dropped(project uint32, reason string, events int64)
}

// Options tune the doors; the zero value is right for a server, but for Usage.
type Options struct {
	Usage Usage
	// EventsPerSecond is what one key may send through all doors, with as much
	// again as a burst of ten seconds; 0 for no limit.
	EventsPerSecond int
	// Aside is the file for what could not be read and must be answered as if it
	// had been; empty: it is only counted.
	Aside  string
	Logger *slog.Logger
	Now    func() time.Time // nil: time.Now
}

// Front is what stands before every door. Its methods may be called from many
// goroutines.
type Front struct {
	pipeline *pipeline.Pipeline
	keys     auth.Keys
	opts     Options
	budget   budget
	rate     *rate
	aside    aside
	// Learned is what the doors saw of tools/list.
	Learned Learned
}

// NewFront returns the front of doors that end in p.
func NewFront(p *pipeline.Pipeline, keys auth.Keys, opts Options) *Front {
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	return &Front{
		pipeline: p, keys: keys, opts: opts, budget: budget{max: maxUnderWay}, rate: newRate(opts.EventsPerSecond),
		aside: aside{path: opts.Aside},
	}
}

// Log is where a door says what is the server's own trouble.
func (f *Front) Log() *slog.Logger { return f.opts.Logger }

// Key finds the key of a credential, wherever in the request it stood, and lets it
// in if it may send now. The errors are Unauthorized, Forbidden and TooMany.
func (f *Front) Key(credential string) (meta.Key, *fault.Error) {
	key, err := auth.WriterOf(f.keys, credential)
	if err != nil {
		return key, err
	}
	if wait := f.rate.wait(key.ID, time.Now()); wait > 0 {
		err := fault.New(fault.TooMany, "this key sends more events than it may", "nothing was taken; send the same events again after Retry-After")
		err.RetryAfter = wait
		return key, err
	}
	return key, nil
}

// Body reads a request's body of at most limit bytes, without its content encoding
// (none, gzip or zstd), and hands it to use, which must not keep it.
func (f *Front) Body(w http.ResponseWriter, r *http.Request, limit int, use func(body []byte) *fault.Error) *fault.Error {
	// Not every ResponseWriter has deadlines; then the server's own hold.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(readTimeout))
	rd := readers.Get().(*reader)
	text, taken, err := rd.read(w, r, limit, &f.budget)
	defer func() { f.budget.used.Add(-taken) }()
	if err != nil {
		return unreadable(err, limit) // its decoders may be in any state: it is not given back
	}
	refused := use(text)
	rd.give()
	return refused
}

// Submit hands the items on and returns when they are on disk. sent is how many
// events the sender sent, for its rate.
func (f *Front) Submit(ctx context.Context, key meta.Key, items []pipeline.Item, sent int) (pipeline.Receipt, *fault.Error) {
	now := time.Now()
	var receipt pipeline.Receipt
	if len(items) > 0 {
		var err error
		if receipt, err = f.pipeline.Submit(ctx, key.Project.ID, now, items); err != nil {
			return receipt, fault.From(err)
		}
	}
	f.rate.spend(key.ID, sent, now)
	if f.opts.Usage != nil {
		f.opts.Usage.Used(key.ID, now, sent == 0)
	}
	return receipt, nil
}

// Dropped notes what a sender of the project said that it had to drop.
func (f *Front) Dropped(project uint32, reason string, events int64) {
	if f.opts.Usage != nil {
		f.opts.Usage.Dropped(project, reason, events)
	}
}
