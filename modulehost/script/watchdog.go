package script

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// turnWithin is how long a turn may compute. Other requests wait meanwhile.
	turnWithin = time.Second
	// stuckWithin is how long a turn may compute after it was interrupted. A built-in function that runs over a
	// huge range notices no interruption, so the process ends then, and the platform starts another.
	stuckWithin = 2 * time.Second
)

var errTurn = errors.New("the script computed for 1 s without a pause and was interrupted; do less in one " +
	"go, or let the database do it")

// watchdog interrupts a turn that computes for too long. What counts is the CPU time of the process, so that
// a busy machine costs no script its turn.
type watchdog struct {
	interrupt func(error)
	stuck     func() // ends the process; a test replaces it

	mu          sync.Mutex
	timer       *time.Timer
	turn        uint64 // of the turn in progress; counts beginnings and ends
	spent       time.Duration
	interrupted bool
}

func newWatchdog(interrupt func(error)) *watchdog {
	w := &watchdog{interrupt: interrupt, stuck: exitStuck}
	return w
}

// begin is called at the beginning of a turn.
func (w *watchdog) begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.turn++
	w.spent, w.interrupted = cpuTime(), false
	turn := w.turn
	w.timer = time.AfterFunc(turnWithin, func() { w.expire(turn) })
}

// end is called at the end of a turn. Afterwards nothing interrupts it.
func (w *watchdog) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.turn++
	w.timer.Stop()
}

func (w *watchdog) expire(turn uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.turn != turn {
		return
	}
	within := turnWithin
	if w.interrupted {
		within += stuckWithin
	}
	if rest := within - (cpuTime() - w.spent); rest > 0 {
		w.timer = time.AfterFunc(max(rest, time.Millisecond), func() { w.expire(turn) })
		return
	}
	if w.interrupted {
		w.stuck()
		return
	}
	w.interrupted = true
	w.interrupt(errTurn)
	w.timer = time.AfterFunc(stuckWithin, func() { w.expire(turn) })
}

// cpuTime is what the process has used of all processors.
func cpuTime() time.Duration {
	var used unix.Timespec
	if unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &used) != nil {
		return time.Duration(time.Now().UnixNano()) // then the clock on the wall has to do
	}
	return time.Duration(used.Nano())
}

func exitStuck() {
	fmt.Fprintln(os.Stderr, "error: the script computed on for 2 s after it was interrupted, in a built-in "+
		"function; its process ends")
	os.Exit(1)
}
