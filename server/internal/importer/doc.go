// Package importer brings events from files into a project: PostHog's exports, OTLP
// as JSON, Umpire's own events, transcripts and logs of MCP traffic.
//
// In: files, plain or gzip, and where to send what is in them. Out: requests to the
// same doors that SDKs send to, over HTTP or the socket of a data directory, so that
// an import is judged, redacted and counted once like everything else; what cannot be
// read is named by its line, and left out. It writes to no store, and keeps only a
// note of how far it came, for as long as it is not done.
package importer
