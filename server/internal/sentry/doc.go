// Package sentry is the door for Sentry's SDKs: servers that are wrapped by
// wrapMcpServerWithSentry and by what Sentry has for other languages.
//
// In: envelopes at /api/{number}/envelope/, plain or gzip, with the key in the
// address, in X-Sentry-Auth, or in the envelope's own header. Out: events for the
// pipeline, judged again by outcomes.md, and answers as Sentry gives them. Of an
// envelope it reads spans (version 11) and transactions (before); an error event
// says of the call in whose span it happened that the handler threw, and is never a
// call. Everything else, and all spans that are not about MCP, are dropped.
package sentry
