package platform

import (
	"math"
	"runtime/debug"
	"syscall"
)

// collectAfter is by how many percent the heap grows before the garbage collector runs. By default it runs
// when the heap has doubled. With the few MiB that the platform uses, that would be so often that it takes a
// tenth of the processor time of small requests.
const collectAfter = 300

// settleMemory is called once, when a start has done all its work. It returns the memory of the start to the
// system: the tables for compressing take 200 MiB, which an idle process would keep for minutes. From then on
// the garbage collector runs less often. A large heap must not fill the machine: the collector works harder
// where the process uses three quarters of the memory, or GOMEMLIMIT.
func settleMemory() {
	debug.FreeOSMemory()
	debug.SetGCPercent(collectAfter)
	var machine syscall.Sysinfo_t
	if debug.SetMemoryLimit(-1) == math.MaxInt64 && syscall.Sysinfo(&machine) == nil {
		debug.SetMemoryLimit(int64(uint64(machine.Totalram) * uint64(machine.Unit) / 4 * 3))
	}
}
