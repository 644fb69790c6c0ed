package main

import (
	"fmt"
	"os"
	"strings"
)

// anonymousMemory returns the memory of a process that only it uses, so without the pages of its program, in
// KiB; 0 if it has ended.
func anonymousMemory(pid int) (now int) {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(status)) {
		_, _ = fmt.Sscanf(line, "RssAnon: %d kB", &now)
	}
	return now
}
