package main

import (
	"fmt"
	"os"
	"strings"
)

// peakMemory returns the maximum resident memory of a process so far, in KiB; 0 if it has ended.
func peakMemory(pid int) (most int) {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(status)) {
		_, _ = fmt.Sscanf(line, "VmHWM: %d kB", &most)
	}
	return most
}

// proportionalMemory returns the proportional set size of a process, in KiB; 0 if it has ended.
func proportionalMemory(pid int) (now int) {
	rollup, _ := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	for line := range strings.Lines(string(rollup)) {
		_, _ = fmt.Sscanf(line, "Pss: %d kB", &now)
	}
	return now
}
