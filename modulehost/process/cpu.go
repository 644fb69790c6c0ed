package process

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// cpuSample is the CPU use of one process since its start.
type cpuSample struct {
	at      time.Time               // zero: nothing was measured
	ran     time.Duration           // of all threads, including ended ones
	threads map[string]threadSample // living threads by id; nil: not measured
}

// threadSample counts since the start of a thread.
type threadSample struct {
	wanted time.Duration // running, or waiting for a core that was busy
	sleeps int64         // how often it waited for anything else
}

const (
	// busyPart is the part of one core above which a process is busy. It counts the CPU time of the process, or
	// the time in which threads without sleeps ran or waited for a core, whichever is longer. Threads of a
	// process with little work sleep after each piece of work, even if they wait long for a core, so waiting
	// does not make it busy.
	busyPart = 0.9
	// idlePart is the part of one core below which threads are not measured, because that takes longer.
	idlePart = 0.02
	// mostSleeps is how many times a second a thread may sleep and still count as one without sleeps.
	mostSleeps = 20
)

// busySince reports whether the process wanted the CPU almost all the time since an earlier sample.
func (s cpuSample) busySince(before cpuSample) bool {
	if s.at.IsZero() || before.at.IsZero() {
		return false
	}
	took, ran := s.at.Sub(before.at), s.ran-before.ran
	if s.threads == nil || before.threads == nil {
		return ran.Seconds() >= busyPart*took.Seconds()
	}
	var sleepless time.Duration
	for id, thread := range s.threads {
		earlier := before.threads[id]
		if float64(thread.sleeps-earlier.sleeps) <= mostSleeps*took.Seconds() {
			sleepless += thread.wanted - earlier.wanted
		}
	}
	return max(ran, sleepless).Seconds() >= busyPart*took.Seconds()
}

// sample measures a process. It compares with the sample before to decide whether to measure the threads. It
// returns the zero value when the process has died.
func (c *child) sample(now time.Time, before cpuSample) cpuSample {
	c.group.Lock() // so the number cannot belong to another process
	defer c.group.Unlock()
	if c.reaped {
		return cpuSample{}
	}
	folder := "/proc/" + strconv.Itoa(c.pid)
	s := cpuSample{at: now, ran: cpuTime(folder)}
	if (s.ran - before.ran).Seconds() < idlePart*now.Sub(before.at).Seconds() {
		return s
	}
	s.threads = make(map[string]threadSample)
	threads, _ := os.ReadDir(folder + "/task")
	for _, thread := range threads {
		s.threads[thread.Name()] = sampleThread(folder + "/task/" + thread.Name())
	}
	return s
}

// sampleThread reads a thread's folder of /proc. Some kernels do not count the waiting, or neither waiting
// nor running; then these are zero.
func sampleThread(folder string) (s threadSample) {
	var ran, waited time.Duration // nanoseconds
	text, _ := os.ReadFile(folder + "/schedstat")
	_, _ = fmt.Sscan(string(text), (*int64)(&ran), (*int64)(&waited))
	s.wanted = ran + waited
	text, _ = os.ReadFile(folder + "/status")
	if _, after, found := bytes.Cut(text, []byte("\nvoluntary_ctxt_switches:")); found {
		_, _ = fmt.Sscan(string(after), &s.sleeps)
	}
	return s
}

// clockTick is the unit of times in /proc/<pid>/stat. It has been a hundredth of a second on every Linux
// for decades.
const clockTick = time.Second / 100

// cpuTime returns the CPU time of the process in a folder of /proc; 0 if it has died.
func cpuTime(folder string) (used time.Duration) {
	text, err := os.ReadFile(folder + "/stat")
	if err != nil {
		return 0
	}
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:]) // the name may contain anything
	for _, place := range []int{11, 12} {                           // utime, stime
		if place < len(fields) {
			ticks, _ := strconv.ParseInt(string(fields[place]), 10, 64)
			used += time.Duration(ticks) * clockTick
		}
	}
	return used
}

// schedule sets the policy and niceness of all threads of the process. Threads that start later inherit them.
func (c *child) schedule(attributes unix.SchedAttr) error {
	c.group.Lock()
	defer c.group.Unlock()
	if c.reaped {
		return nil
	}
	attributes.Size = unix.SizeofSchedAttr
	for done := make(map[string]bool); ; {
		threads, _ := os.ReadDir("/proc/" + strconv.Itoa(c.pid) + "/task")
		before := len(done)
		for _, thread := range threads {
			id, err := strconv.Atoi(thread.Name())
			if err != nil || done[thread.Name()] {
				continue
			}
			if err := unix.SchedSetAttr(id, &attributes, 0); err != nil && err != unix.ESRCH { // the thread has ended
				return err
			}
			done[thread.Name()] = true
		}
		if len(done) == before { // no thread with the old policy has started a new one
			return nil
		}
	}
}

// usualNiceLimit is the RLIMIT_NICE that allows the usual niceness; it counts down from 20.
const usualNiceLimit = 20 - niceness

// niceLimit is the highest RLIMIT_NICE that this process may give a child: 0 unless its unit or container
// raises it.
func niceLimit() uint64 {
	var own unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NICE, &own) != nil {
		return 0
	}
	return own.Max
}

// mayRestore reports whether a priority that was lowered can be raised again.
func mayRestore() bool { return niceLimit() >= usualNiceLimit || hasCapabilities(1<<unix.CAP_SYS_NICE) }
