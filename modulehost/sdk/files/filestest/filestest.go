// Package filestest holds the readers of files to their bounds, in tests and fuzz targets.
package filestest

import (
	"flag"
	"runtime"
	"syscall"
	"testing"
	"time"
)

// Bounds of a reader, however hostile a file is.
const (
	maxMemory  = 64 << 20 // bytes
	maxEachMiB = 2 * time.Second
)

// Bounded fails the test if read, which reads content, allocates more than 64 MiB or needs more than two
// seconds of processor time for each MiB. What it allocates is counted even if it is free again, so that the
// garbage collector's pace makes no difference. Unless a fuzz target runs, ten times the processor time is
// allowed: a slow machine is no fault of the reader. Call it where nothing else is under way.
func Bounded(t testing.TB, content []byte, read func()) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := processorTime(t)
	read()
	used := processorTime(t) - began
	runtime.ReadMemStats(&after)
	if memory := after.TotalAlloc - before.TotalAlloc; memory > maxMemory {
		t.Errorf("a file of %d bytes took %d MiB of memory, want at most %d", len(content), memory>>20,
			maxMemory>>20)
	}
	most := maxEachMiB * time.Duration(1+len(content)>>20)
	if fuzz := flag.Lookup("test.fuzz"); fuzz == nil || fuzz.Value.String() == "" {
		most *= 10
	}
	if used > most {
		t.Errorf("a file of %d bytes took %s of processor time, want at most %s", len(content), used, most)
	}
}

// processorTime returns how much the process has had until now. Other processes make no difference.
func processorTime(t testing.TB) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
