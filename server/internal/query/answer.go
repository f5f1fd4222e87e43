package query

import "time"

// Header begins every answer: the window and the filters that it was asked
// under, and which of them could not narrow it.
type Header struct {
	Range   Range               `json:"range"`
	Filters map[string][]string `json:"filters"`
	// NotFiltered names what a filter could not narrow; that value is null.
	NotFiltered []string `json:"not_filtered,omitempty"`
}

// Range is a window of time, From included and To not, in UTC.
type Range struct {
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
}

// Slices are the five slices of a set of calls; they add up to its calls.
type Slices struct {
	OK        int64 `json:"ok"`
	Empty     int64 `json:"empty"`
	BadArgs   int64 `json:"bad_args"`
	ToolError int64 `json:"tool_error"`
	Crashed   int64 `json:"crashed"`
}

// Outcomes are the four outcomes; OK includes the empty answers.
type Outcomes struct {
	OK        int64 `json:"ok"`
	BadArgs   int64 `json:"bad_args"`
	ToolError int64 `json:"tool_error"`
	Crashed   int64 `json:"crashed"`
}

// Latency is in microseconds, within 2.2 %; null without an answered call.
type Latency struct {
	P50 *int64 `json:"p50"`
	P95 *int64 `json:"p95"`
	P99 *int64 `json:"p99"`
}

// Bytes are sums of known sizes; null where none is known.
type Bytes struct {
	Request     *int64 `json:"request"`
	Response    *int64 `json:"response"`
	AvgResponse *int64 `json:"avg_response"`
}

// Share is a rate with its denominator; Rate is null when Of is 0.
type Share struct {
	Rate *float64 `json:"rate"`
	Of   int64    `json:"of"`
}

// Measures are the figures of a set of calls: the body of the overview, and of
// one tool's page.
type Measures struct {
	Calls           int64    `json:"calls"`
	Slices          Slices   `json:"slices"`
	Outcomes        Outcomes `json:"outcomes"`
	ErrorRate       *float64 `json:"error_rate"` // 0..1, null without calls
	EmptyRate       *float64 `json:"empty_rate"`
	LatencyUS       Latency  `json:"latency_us"`
	Sessions        *int64   `json:"sessions"`
	CallsPerSession *float64 `json:"calls_per_session"`
	Bytes           Bytes    `json:"bytes"`
	// Tokens is an estimate: bytes / 4. What a session takes and costs is of the calls
	// that are in one; the cost is in US dollars, null without the project's price.
	Tokens           *int64           `json:"tokens"`
	TokensPerSession *int64           `json:"tokens_per_session"`
	CostPerSession   *float64         `json:"cost_per_session"`
	Retries          int64            `json:"retries"`
	Reworded         int64            `json:"reworded"`
	NoSession        int64            `json:"no_session"`
	FirstCallSuccess Share            `json:"first_call_success"`
	Cancelled        int64            `json:"cancelled"`
	Rounds           int64            `json:"rounds"`
	Pending          *int64           `json:"pending"`
	SetAside         int64            `json:"set_aside"`
	OtherKinds       map[string]int64 `json:"other_kinds,omitempty"`
	// SeenOutside counts the calls that the proxy saw and the SDK did not: of them
	// Crashed is a lower bound (outcomes.md 2.3).
	SeenOutside int64 `json:"seen_outside"`
}

// Previous are the figures of the window of equal length before.
type Previous struct {
	Range            Range    `json:"range"`
	Calls            int64    `json:"calls"`
	ErrorRate        *float64 `json:"error_rate"`
	EmptyRate        *float64 `json:"empty_rate"`
	P50US            *int64   `json:"p50_us"`
	P95US            *int64   `json:"p95_us"`
	Sessions         *int64   `json:"sessions"`
	TokensPerSession *int64   `json:"tokens_per_session"`
	Retries          int64    `json:"retries"`
	FirstCallSuccess Share    `json:"first_call_success"`
}

// Bucket is one step of a series; gaps are filled with zeros. Steps begin at round
// times (store.StepStart), so the first may begin before the range and the last
// end after it; only calls of the range are counted.
type Bucket struct {
	At     time.Time `json:"at"`
	Calls  int64     `json:"calls"`
	Slices Slices    `json:"slices"`
	// For the sparklines of the cards; null where not asked for or not known.
	P95US            *int64 `json:"p95_us,omitempty"`
	Sessions         *int64 `json:"sessions,omitempty"`
	FirstCallSuccess *Share `json:"first_call_success,omitempty"`
}

// LatencyBar is one bar of the latency histogram: calls whose duration lies in
// [FromUS, ToUS).
type LatencyBar struct {
	FromUS int64 `json:"from_us"`
	ToUS   int64 `json:"to_us"`
	Calls  int64 `json:"calls"`
}

// OverviewAnswer answers: how are the calls of this project ending?
type OverviewAnswer struct {
	Header
	Measures
	Previous Previous `json:"previous"`
	// Dropped is how many events the project's senders had to drop, ever: they
	// cannot say when, so no filter narrows it.
	Dropped int64 `json:"dropped"`
	// Changes are what is not as before, oldest first.
	Changes     []Change     `json:"changes"`
	Granularity string       `json:"granularity"` // of the series: 1m 5m 1h 6h 1d …
	Series      []Bucket     `json:"series"`
	Histogram   []LatencyBar `json:"latency_histogram"`
	// NotReported are the senders of the range that cannot show everything; the
	// other answers have it, too.
	NotReported []NotReported `json:"not_reported"`
}

// ToolsAnswer answers: which tool fails, and how?
type ToolsAnswer struct {
	Header
	Tools        []ToolLine    `json:"tools"`
	UnknownTools []UnknownTool `json:"unknown_tools"`
	NotReported  []NotReported `json:"not_reported"`
}

// ToolLine is one row of the tools table. For a registered tool without calls
// Calls is 0 and every pointer nil.
type ToolLine struct {
	Tool             string     `json:"tool"`
	Calls            int64      `json:"calls"`
	OK               *int64     `json:"ok"`
	Empty            *int64     `json:"empty"`
	BadArgs          *int64     `json:"bad_args"`
	ToolError        *int64     `json:"tool_error"`
	Crashed          *int64     `json:"crashed"`
	P50US            *int64     `json:"p50_us"`
	P95US            *int64     `json:"p95_us"`
	P99US            *int64     `json:"p99_us"`
	ResponseBytesAvg *int64     `json:"response_bytes_avg"`
	Retries          *int64     `json:"retries"`
	FirstCallSuccess *Share     `json:"first_call_success"`
	DefinitionBytes  *int64     `json:"definition_bytes"`
	Registered       bool       `json:"registered"`
	LastSeen         *time.Time `json:"last_seen"`
}

// UnknownTool is a name asked for that no server has.
type UnknownTool struct {
	Name    string   `json:"name"`
	Calls   int64    `json:"calls"`
	Nearest []string `json:"nearest"`
	Clients int64    `json:"clients"`
}

// ClientsAnswer answers: which client's calls fail, and how?
type ClientsAnswer struct {
	Header
	Clients     []ClientLine  `json:"clients"`
	NotReported []NotReported `json:"not_reported"`
}

// ClientLine is one row of the clients table.
type ClientLine struct {
	Client    string     `json:"client"`
	Versions  []string   `json:"versions"`
	Calls     int64      `json:"calls"`
	OK        *int64     `json:"ok"`
	Empty     *int64     `json:"empty"`
	BadArgs   *int64     `json:"bad_args"`
	ToolError *int64     `json:"tool_error"`
	Crashed   *int64     `json:"crashed"`
	P95US     *int64     `json:"p95_us"`
	Sessions  *int64     `json:"sessions"`
	LastSeen  *time.Time `json:"last_seen"`
}

// NameCount is a name and how many calls carried it.
type NameCount struct {
	Name  string `json:"name"`
	Calls int64  `json:"calls"`
}

// FacetsAnswer answers: what can the filters be set to?
type FacetsAnswer struct {
	Header
	Servers   []string `json:"servers"`
	Versions  []string `json:"versions"`
	Envs      []string `json:"envs"`
	Tools     []string `json:"tools"`
	Clients   []string `json:"clients"`
	Platforms []string `json:"platforms"`
}
