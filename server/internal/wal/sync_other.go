//go:build !linux

package wal

// Datasync implements segmentFile.
func (f osFile) Datasync() error { return f.Sync() }
