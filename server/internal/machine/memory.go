package machine

import (
	"bufio"
	"bytes"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// Memory is how many bytes the machine has, and the limit that was set for this
// process, by whoever runs its container; 0 is not known, or none.
func Memory() (total, limit int64) { return memory(system()) }

// memory reads the files of a system: /proc and /sys/fs/cgroup.
func memory(root fs.FS) (total, limit int64) {
	if root == nil {
		return 0, 0
	}
	text, err := fs.ReadFile(root, "proc/meminfo")
	if err == nil {
		for line := range bytes.Lines(text) {
			if fields := strings.Fields(string(line)); len(fields) >= 2 && fields[0] == "MemTotal:" {
				n, _ := strconv.ParseInt(fields[1], 10, 64)
				total = n << 10
			}
		}
	}
	for _, file := range limitFiles(root) {
		text, err := fs.ReadFile(root, file)
		if err != nil {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64) // "max" is none
		if err == nil && n > 0 && (total == 0 || n < total) && (limit == 0 || n < limit) {
			limit = n
		}
	}
	return total, limit
}

// limitFiles are the files that may hold a limit: of the process's control group and
// of every one above it, in version 2 and in version 1.
func limitFiles(root fs.FS) (files []string) {
	text, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return nil
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		parts := strings.SplitN(lines.Text(), ":", 3)
		if len(parts) != 3 {
			continue
		}
		base, name := "sys/fs/cgroup", "memory.max"
		if parts[1] != "" {
			if !strings.Contains(parts[1], "memory") {
				continue
			}
			base, name = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		}
		// A container may see its own group as the root, under a path of the host.
		for group := path.Clean("/" + parts[2]); ; group = path.Dir(group) {
			files = append(files, path.Join(base, group, name))
			if group == "/" {
				break
			}
		}
	}
	return files
}
