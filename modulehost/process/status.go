package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// State is the current state of a process.
type State string

// The states of a process.
const (
	Ready      State = "ready"
	Restarting State = "restarting" // starting, ending, or waiting to be started again
	// the host does not start it: its file has changed, or its registration differs from the first
	Refused State = "refused"
)

// EndKind is the cause of a run's end.
type EndKind string

// The kinds of an end.
const (
	EndExit     EndKind = "exit"     // it exited by itself; the code is its exit status
	EndSignal   EndKind = "signal"   // the code is the signal
	EndMemory   EndKind = "memory"   // its memory limit; the code is its exit status
	EndDeadline EndKind = "deadline" // the host ended it after a deadline had passed
	EndLink     EndKind = "link"     // the host ended it, because its link was lost
)

// End is the end of a run.
type End struct {
	At   time.Time
	Kind EndKind
	Code *int // nil: there is none
}

// Status is the state of a process and its figures. It contains nothing that the module sent.
type Status struct {
	State       State
	Since       time.Time
	Starts      int64 // runs begun
	LastEnd     *End
	Memory      int64         // resident bytes; 0 if there is no process
	MemoryLimit int64         // bytes
	CPU         time.Duration // of all runs
}

// Status returns the state, with current figures from the kernel.
func (p *Process) Status() Status {
	p.mu.Lock()
	status, living := p.status, p.runningChild
	p.mu.Unlock()
	status.MemoryLimit = int64(p.config.Limits.Data)
	if living != nil {
		memory, cpu := living.figures()
		status.Memory = memory
		status.CPU += cpu
	}
	return status
}

// began records that a run began and is not ready yet.
func (p *Process) began(c *child) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.output, p.runningChild = c.output, c
	p.status.Starts++
}

// ended records how a run ended. Serve returns err.
func (p *Process) ended(l *run, err error) {
	end := l.endedBy(err)
	p.journal.end(end)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.runningChild = nil
	p.status.LastEnd = &end
	if state := l.child.state; state != nil {
		p.status.CPU += state.UserTime() + state.SystemTime()
	}
	p.notReady(err)
}

// notReady must be called with the lock held.
func (p *Process) notReady(err error) {
	state := Restarting
	if errors.Is(err, ErrUnavailable) || errors.Is(err, errOtherRegistration) {
		state = Refused
	}
	p.setState(state)
}

// setState must be called with the lock held.
func (p *Process) setState(state State) {
	if p.status.State != state {
		p.status.State, p.status.Since = state, time.Now()
	}
}

// endedBy first uses how the process died according to the kernel, and then why the host killed it.
func (l *run) endedBy(err error) End {
	end := End{At: time.Now(), Kind: EndLink}
	var status syscall.WaitStatus
	if state := l.child.state; state != nil {
		status, _ = state.Sys().(syscall.WaitStatus)
	}
	switch {
	case l.child.overMemory:
		end.Kind = EndMemory
	case status.Exited():
		code := status.ExitStatus()
		end.Kind, end.Code = EndExit, &code
		if code == goFailed && outOfMemory(l.child.output.kept()) {
			end.Kind = EndMemory
		}
	case l.overdue || errors.Is(err, ErrStartTimeout) || errors.Is(err, ErrStopTimeout) ||
		errors.Is(err, context.DeadlineExceeded):
		end.Kind = EndDeadline
	case status.Signaled() && l.diedFirst:
		code := int(status.Signal())
		end.Kind, end.Code = EndSignal, &code
	}
	return end
}

// outOfMemory recognizes the messages that Go's runtime prints when an allocation fails.
func outOfMemory(said []byte) bool {
	for _, words := range []string{"fatal error: runtime: out of memory", "fatal error: out of memory",
		"runtime: cannot allocate memory",
		"fatal error: runtime: cannot allocate", "fatal error: failed to reserve", "cannot allocate memory"} {
		if bytes.Contains(said, []byte(words)) {
			return true
		}
	}
	return false
}

// figures returns 0 if the process has died.
func (c *child) figures() (memory int64, cpu time.Duration) {
	c.group.Lock() // so the number cannot belong to another process
	defer c.group.Unlock()
	if c.reaped {
		return 0, 0
	}
	folder := "/proc/" + strconv.Itoa(c.pid)
	var size, resident int64
	if text, err := os.ReadFile(folder + "/statm"); err == nil {
		_, _ = fmt.Sscan(string(text), &size, &resident)
	}
	return resident * int64(unix.Getpagesize()), cpuTime(folder)
}
