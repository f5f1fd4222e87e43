package umpire
import ("context";"net/http";"time")
// Options configures a Client.
type Options struct {
	Endpoint, Key, Environment string
	Server Peer
	Disabled, Debug bool
	HTTPClient *http.Client
	QueueSize int
	FlushInterval time.Duration
	ClassifyError  func(error) Outcome
	ReturnedErrors Outcome
	IsEmpty        func(tool string, texts []string, structured []byte) bool
	EmptyIsFine    []string
}
// Client sends events.
type Client struct{ opts Options }
// Stats counts.
type Stats struct{ Recorded, Sent, Dropped, Rejected uint64 }
// New never fails.
func New(o Options) *Client { return &Client{o} }
// Record queues e.
func (c *Client) Record(e Event) {}
// Flush sends what is queued.
func (c *Client) Flush(ctx context.Context) error { return nil }
// Close flushes and stops.
func (c *Client) Close(ctx context.Context) error { return nil }
// Stats returns counts.
func (c *Client) Stats() Stats { return Stats{} }
// Options returns the options in force.
func (c *Client) Options() Options { return c.opts }
