package backup

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/umpire-mcp/umpire/server/internal/fault"
)

// unfinished is in a data directory while a backup is put back into it.
const unfinished = "RESTORING"

// Unfinished reports whether a restore into the directory was cut off.
func Unfinished(dir string) error {
	if _, err := os.Lstat(filepath.Join(dir, unfinished)); err != nil {
		return nil //nolint:nilerr // it is not there
	}
	return fault.New(fault.Conflict, "a restore into "+dir+" did not end", "empty the directory and run umpire restore again")
}

// Restore checks the backup and puts it into dir, which must be empty or not
// there.
func Restore(from, dir string) (Made, error) {
	l, err := verify(from)
	if err != nil {
		return Made{}, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return Made{}, fault.Wrap(err, fault.BadRequest, "cannot make the data directory "+dir, "give a directory that you can write to with --data")
	}
	there, err := os.ReadDir(dir)
	if err != nil {
		return Made{}, fault.Wrap(err, fault.BadRequest, "cannot read the data directory "+dir, "")
	}
	if len(there) > 0 {
		return Made{}, fault.New(fault.Conflict, dir+" is not empty", "a restore never writes over anything: give an empty directory with --data")
	}
	made := Made{Path: dir, Files: len(l.Files)}
	if err := put(l, from, dir); err != nil {
		errs := []error{fmt.Errorf("cannot restore %q: %w", from, err)}
		for _, f := range l.Files {
			if err := os.Remove(filepath.Join(dir, filepath.FromSlash(f.Path))); !errors.Is(err, fs.ErrNotExist) {
				errs = append(errs, err)
			}
		}
		return Made{}, errors.Join(errs...)
	}
	for _, f := range l.Files {
		made.Bytes += f.Bytes
	}
	return made, nil
}

// put copies; the mark is there for as long as it is not whole.
func put(l list, from, dir string) error {
	mark := filepath.Join(dir, unfinished)
	if err := os.WriteFile(mark, nil, 0o600); err != nil {
		return err
	}
	syncDir(dir)
	for _, f := range l.Files {
		name := filepath.FromSlash(f.Path)
		if err := copyFile(filepath.Join(dir, name), filepath.Join(from, name)); err != nil {
			return err
		}
		if err := f.check(dir); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, "wal"), 0o700); err != nil {
		return err
	}
	syncDir(filepath.Join(dir, "wal"))
	syncDir(dir)
	return os.Remove(mark)
}

// verify reads a backup's list and holds every file to it.
func verify(from string) (list, error) {
	var l list
	text, err := os.ReadFile(filepath.Join(from, listName))
	if err != nil {
		return l, fault.Wrap(err, fault.NotFound, from+" is no backup", "name the folder that umpire backup printed: it holds "+listName)
	}
	if err := json.Unmarshal(text, &l); err != nil {
		return l, fault.Wrap(err, fault.BadRequest, "cannot read "+listName+" in "+from, "the backup is damaged: take another")
	}
	if l.Format > format {
		return l, fault.New(fault.Conflict, fmt.Sprintf("the backup %s was made by a newer umpire (%s)", from, l.Umpire), "restore it with that version")
	}
	for _, f := range l.Files {
		if !filepath.IsLocal(filepath.FromSlash(f.Path)) {
			return l, fault.New(fault.BadRequest, fmt.Sprintf("the backup lists %.80q, which is outside of it", f.Path), "take another backup")
		}
		if err := f.check(from); err != nil {
			return l, err
		}
	}
	return l, nil
}

// check holds the file in dir to what the list says.
func (f file) check(dir string) error {
	sum, size, err := sumOf(filepath.Join(dir, filepath.FromSlash(f.Path)), false)
	if err == nil && size == f.Bytes && sum == f.SHA256 {
		return nil
	}
	return fault.Wrap(err, fault.Conflict, fmt.Sprintf("%q in %s is not what was backed up", f.Path, dir), "it is damaged: take another backup; nothing was restored")
}
