// Package doctor says what is wrong with an Umpire, and what to do about it.
//
// In: a State, which a running server tells of itself (umpire doctor, the settings
// page, GET /api/v1/status), and what whoever asks has seen. Out: Findings, each in
// a sentence, with what to do. It never opens a file or a connection and changes
// nothing.
package doctor
