package backup

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/fault"
)

// listName is the file that makes a folder a backup. It is written last.
const listName = "backup.json"

// format is the version of the folder's layout.
const format = 1

// list is the content of backup.json.
type list struct {
	Format int       `json:"format"`
	Umpire string    `json:"umpire"` // the version that made it
	MadeAt time.Time `json:"made_at"`
	Files  []file    `json:"files"`
}

// file is one file of a backup; Path has slashes.
type file struct {
	Path   string `json:"path"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// Made is a finished backup.
type Made struct {
	Path  string `json:"path"`
	Bytes int64  `json:"bytes"`
	Files int    `json:"files"`
}

// folder is a backup under way. It has its name only when it is finished.
type folder struct {
	path, partial string
	madeAt        time.Time
}

// begin makes an empty folder inside into, under a name of prefix and the time.
func begin(into, prefix string, now time.Time) (*folder, error) {
	if err := os.MkdirAll(into, 0o700); err != nil {
		return nil, fault.Wrap(err, fault.BadRequest, "cannot make the directory "+into, "give a directory that the server can write to")
	}
	f := &folder{path: filepath.Join(into, prefix+now.UTC().Format("20060102T150405Z")), madeAt: now.UTC().Truncate(time.Second)}
	f.partial = f.path + ".partial"
	if _, err := os.Lstat(f.path); err == nil {
		return nil, fault.New(fault.Conflict, "there is a backup "+f.path+" already", "a backup never writes over another: try again in a second")
	}
	if err := os.Mkdir(f.partial, 0o700); err != nil {
		return nil, fault.Wrap(err, fault.Conflict, "cannot make the folder "+f.partial, "another backup at the same moment, or one that was cut off? try again in a second")
	}
	return f, nil
}

// in is the path of a file in the folder under way.
func (f *folder) in(name string) string { return filepath.Join(f.partial, filepath.FromSlash(name)) }

// abandon removes what there is of it.
func (f *folder) abandon() error { return os.RemoveAll(f.partial) }

// finish syncs and lists every file, and gives the folder its name.
func (f *folder) finish(version string) (Made, error) {
	l := list{Format: format, Umpire: version, MadeAt: f.madeAt}
	made := Made{Path: f.path}
	err := filepath.WalkDir(f.partial, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(f.partial, path)
		if err != nil {
			return err
		}
		sum, n, err := sumOf(path, true)
		l.Files = append(l.Files, file{Path: filepath.ToSlash(name), Bytes: n, SHA256: sum})
		made.Bytes += n
		return err
	})
	if err != nil {
		return Made{}, fmt.Errorf("cannot list the backup %q: %w", f.partial, err)
	}
	made.Files = len(l.Files)
	text, err := json.MarshalIndent(l, "", "  ")
	if err != nil {
		return Made{}, fmt.Errorf("cannot list the backup %q: %w", f.partial, err)
	}
	if err := write(f.in(listName), strings.NewReader(string(text)+"\n")); err != nil {
		return Made{}, err
	}
	syncDir(f.partial)
	if err := os.Rename(f.partial, f.path); err != nil {
		return Made{}, fmt.Errorf("cannot finish the backup %q: %w", f.path, err)
	}
	syncDir(filepath.Dir(f.path))
	return made, nil
}

// sumOf is the SHA-256 and the size of a file, which it syncs if asked.
func sumOf(path string, sync bool) (sum string, size int64, err error) {
	in, err := os.Open(path)
	if err != nil {
		return "", 0, err
	}
	defer in.Close()
	h := sha256.New()
	if size, err = io.Copy(h, in); err == nil && sync {
		err = in.Sync()
	}
	return hex.EncodeToString(h.Sum(nil)), size, err
}

// write makes a new file, and its directory, and syncs it. An *os.File is copied
// by the system where that can be done.
func write(path string, from io.Reader) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, from)
	if err == nil {
		err = out.Sync()
	}
	if err = errors.Join(err, out.Close()); err != nil {
		return fmt.Errorf("cannot write %q: %w", path, err)
	}
	return nil
}

// copyFile copies a file that may be missing.
func copyFile(to, from string) error {
	in, err := os.Open(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer in.Close()
	return write(to, in)
}

// syncDir makes names durable where the system can.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}

// keep removes all but the newest n finished backups of the prefix.
func keep(into, prefix string, n int) error {
	found, err := filepath.Glob(filepath.Join(into, prefix+"*Z"))
	if err != nil {
		return err
	}
	slices.Sort(found) // the names end in the time
	var errs []error
	for len(found) > n {
		errs = append(errs, os.RemoveAll(found[0]))
		found = found[1:]
	}
	return errors.Join(errs...)
}
