package door

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// EraseAside removes from the file of what was set aside every line that holds the
// text, and counts them. Nobody could read these bodies: whose they are is not known.
func EraseAside(path, text string) (lines int, err error) {
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("cannot read what was set aside: %w", err)
	}
	var left []byte
	for line := range bytes.Lines(content) {
		var l Aside
		if json.Unmarshal(line, &l) == nil && bytes.Contains([]byte(l.Body), []byte(text)) {
			lines++
			continue
		}
		left = append(left, line...)
	}
	if lines == 0 {
		return 0, nil
	}
	if err := os.WriteFile(path+".new", left, 0o600); err != nil {
		return 0, fmt.Errorf("cannot rewrite what was set aside: %w", err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return 0, fmt.Errorf("cannot rewrite what was set aside: %w", err)
	}
	return lines, nil
}
