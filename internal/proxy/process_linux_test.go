package proxy

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// childrenOf waits for and lists the processes that a process started.
func childrenOf(t *testing.T, pid int) []int {
	t.Helper()
	for range 6000 {
		tasks, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
		var found []int
		for _, task := range tasks {
			text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", pid, task.Name()))
			for _, field := range strings.Fields(string(text)) {
				if n, err := strconv.Atoi(field); err == nil {
					found = append(found, n)
				}
			}
		}
		if len(found) > 0 {
			return found
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("process %d has started none", pid)
	return nil
}
