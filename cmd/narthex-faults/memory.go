package main

import (
	"fmt"
	"os"
	"strings"
)

// peakMemory is the most that a process ever had in memory, in KiB; 0 when it has ended.
func peakMemory(pid int) (most int) {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(status)) {
		_, _ = fmt.Sscanf(line, "VmHWM: %d kB", &most)
	}
	return most
}

// proportionalMemory is what a process has in memory with its share of what it has together with others, in
// KiB; 0 when it has ended.
func proportionalMemory(pid int) (now int) {
	rollup, _ := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	for line := range strings.Lines(string(rollup)) {
		_, _ = fmt.Sscanf(line, "Pss: %d kB", &now)
	}
	return now
}
