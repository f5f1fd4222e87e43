package store

import (
	"context"
	"time"
)

// VersionReader is the part of Reader that tells of what changed under the calls.
type VersionReader interface {
	// ByRelease is the calls of each version of each server.
	ByRelease(ctx context.Context, f Filter) ([]ReleaseRow, error)
	// Changes are the first times, within the filter's range, at which something is
	// not as it was: oldest first. Project and server narrow them, and tool those of
	// definitions. They are found in what rollups hold of the 90 days before the range;
	// rules only in events of the range.
	Changes(ctx context.Context, f Filter) ([]ChangeRow, error)
	// ClientVersions is the calls of each version of each client, most calls first. It
	// reads events.
	ClientVersions(ctx context.Context, f Filter, limit int) ([]ClientVersionRow, error)
}

// ClientVersionRow is one version of one client.
type ClientVersionRow struct {
	Client, Version string
	Counts
	FirstCalls, FirstOK int64
	// FirstSeen and LastSeen are when the first and the last call of the filter started.
	FirstSeen, LastSeen time.Time
}

// ReleaseRow is one version of one server.
type ReleaseRow struct {
	Server, Version string
	Counts
	Latency                      Histogram
	ResponseBytes, ResponseKnown int64
	Retries                      int64
	FirstCalls, FirstOK          int64
	Sessions                     int64
	// Since is the hour of its first call before the end of the range, whatever else
	// the filter says; LastSeen is when the last call of the filter started.
	Since, LastSeen time.Time
}

// The kinds of ChangeRow.
const (
	ChangeVersion    = "version"    // of a server: Name is the server
	ChangeDefinition = "definition" // of a tool: Name is the tool
	ChangeSDK        = "sdk"        // its version: Name is the SDK
	ChangeRules      = "rules"      // that calls are judged by: no Name
)

// ChangeRow is something that is not as it was: from Before it went to Value. Server
// is that of a version or a definition.
type ChangeRow struct {
	Kind, Server, Name, Before, Value string
	At                                time.Time // the hour, of versions
}

// ChangesBefore is how far before the range Changes looks for what was there before.
const ChangesBefore = 90 * 24 * time.Hour

// MaxChanges bounds what Changes returns: the oldest.
const MaxChanges = 500
