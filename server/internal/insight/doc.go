// Package insight says in words what the rules of query.Insights found, so that the
// pages, the API, the MCP tools and an alert say the same.
//
// In: a query.Insight. Out: a short text in English, without the tool's name and
// without markup. It makes no figure and judges nothing: the rules and their
// thresholds are package query's, how a number is written is package format's.
package insight
