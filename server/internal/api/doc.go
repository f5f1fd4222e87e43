// Package api is the read API: the answers of package query as JSON, under
// /api/v1/ (docs/wire.md, spec/openapi.yaml).
//
// In: GET requests with the filters of docs/wire.md and somebody's right to ask.
// Out: what the query functions return, unchanged, or {"error":{code,message,hint}}.
// It never computes a figure, never writes, and answers no other site's page
// (there is no CORS header).
package api
