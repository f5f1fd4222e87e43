package machine

import (
	"testing"
	"testing/fstest"
)

func TestMemory(t *testing.T) {
	file := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	const gib = 1 << 30
	for _, c := range []struct {
		name         string
		files        fstest.MapFS
		total, limit int64
	}{
		{"nothing is known", fstest.MapFS{}, 0, 0},
		{"a machine", fstest.MapFS{"proc/meminfo": file("MemTotal:  8388608 kB\nMemFree: 1 kB\n"), "proc/self/cgroup": file("0::/user.slice\n"), "sys/fs/cgroup/user.slice/memory.max": file("max\n")}, 8 * gib, 0},
		{"a container that sees its own group", fstest.MapFS{"proc/meminfo": file("MemTotal: 8388608 kB\n"), "proc/self/cgroup": file("0::/\n"), "sys/fs/cgroup/memory.max": file("1073741824\n")}, 8 * gib, gib},
		{"a path of the host", fstest.MapFS{"proc/self/cgroup": file("0::/docker/1\n"), "sys/fs/cgroup/memory.max": file("1073741824\n")}, 0, gib},
		{"the tightest above it", fstest.MapFS{"proc/self/cgroup": file("0::/a/b\n"), "sys/fs/cgroup/a/memory.max": file("1073741824"), "sys/fs/cgroup/a/b/memory.max": file("2147483648")}, 0, gib},
		{"version 1", fstest.MapFS{"proc/meminfo": file("MemTotal: 8388608 kB\n"), "proc/self/cgroup": file("4:memory:/x\n3:cpu:/x\n"), "sys/fs/cgroup/memory/x/memory.limit_in_bytes": file("1073741824\n")}, 8 * gib, gib},
		{"no limit of version 1 is a huge one", fstest.MapFS{"proc/meminfo": file("MemTotal: 8388608 kB\n"), "proc/self/cgroup": file("4:memory:/\n"), "sys/fs/cgroup/memory/memory.limit_in_bytes": file("9223372036854771712\n")}, 8 * gib, 0},
	} {
		if total, limit := memory(c.files); total != c.total || limit != c.limit {
			t.Errorf("%s: %d, %d; want %d, %d", c.name, total, limit, c.total, c.limit)
		}
	}
}
