package main

import (
	"crypto/rand"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"

	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/store/clickhouse"
)

// placeFile says which directory this is, in words that are not true of a copy.
const placeFile = "node-place"

// placed is the node's log as the shared store wants to know it. It is called when
// node-name is there.
func (n *node) placed() (clickhouse.Log, error) {
	if n.log == nil {
		return clickhouse.Log{}, nil // it has none
	}
	host, _ := os.Hostname()
	l := clickhouse.Log{Last: n.log.Next() - 1, Host: host}
	number := fileNumber(filepath.Join(n.dir, nodeName))
	path := filepath.Join(n.dir, placeFile)
	if text, err := os.ReadFile(path); err == nil {
		if place, of, _ := strings.Cut(strings.TrimSpace(string(text)), " "); place != "" && of == number {
			l.Place = place
			return l, nil
		}
	}
	var b [8]byte
	rand.Read(b[:]) //nolint:errcheck // it never fails
	l.Place = hex.EncodeToString(b[:])
	if err := os.WriteFile(path, []byte(l.Place+" "+number+"\n"), 0o600); err != nil {
		return l, fault.Wrap(err, fault.BadRequest, "cannot write to "+n.dir, "give a directory that you can write to with --data")
	}
	return l, nil
}
