package forward

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// position is the file's content.
type position struct {
	Version int    `json:"version"`
	Seq     uint64 `json:"seq"`
}

func readPosition(path string) (seq uint64, there bool, err error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, false, nil
	}
	var p position
	if err == nil {
		err = json.Unmarshal(text, &p)
	}
	if err == nil && p.Version != 1 {
		err = fmt.Errorf("it is of version %d", p.Version)
	}
	if err != nil {
		return 0, false, fmt.Errorf("cannot read how far events were forwarded from %q (without that file, forwarding begins anew): %w", path, err)
	}
	return p.Seq, true, nil
}

func writePosition(path string, seq uint64) error {
	text, err := json.Marshal(position{1, seq})
	if err == nil {
		err = os.WriteFile(path+".new", text, 0o600)
	}
	if err == nil {
		err = os.Rename(path+".new", path)
	}
	if err != nil {
		return fmt.Errorf("cannot keep how far events were forwarded in %q: %w", path, err)
	}
	return nil
}
