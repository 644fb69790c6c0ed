package process

import (
	"io"
	"os"
	"sync"
	"time"
)

const (
	keptOutput   = 64 << 10 // bytes: the last ones, for the autopsy
	outputPerSec = 8 << 10  // bytes that are kept of a second
	outputBurst  = keptOutput
	// outputPause bounds what a flood costs the host: 32 KiB a millisecond are read, the rest waits in the
	// module.
	outputPause = time.Millisecond
	// outputGrace is for a descendant that left the group and still holds the pipe.
	outputGrace = 100 * time.Millisecond
)

// output reads a child's standard output and error to the end, whatever it writes: a pipe that nobody reads
// would block the module after 64 KiB. It keeps little, in the process's journal, and copies nothing into the
// host's log, for a panic prints its argument.
type output struct {
	pipe    *os.File
	journal *Journal
	began   int64     // the journal's position before this run
	show    io.Writer // gets what is kept, at once; nil: nobody does
	done    chan struct{}

	mu      sync.Mutex
	written int64 // bytes kept so far, the overwritten ones included
	dropped int64 // bytes over the rate
}

func readOutput(pipe *os.File, journal *Journal, show io.Writer) *output {
	o := &output{pipe: pipe, journal: journal, began: journal.position(), show: show,
		done: make(chan struct{})}
	go o.read()
	return o
}

func (o *output) read() {
	defer close(o.done)
	buffer := make([]byte, 32<<10)
	allowance, last := float64(outputBurst), time.Now()
	for {
		n, err := o.pipe.Read(buffer)
		now := time.Now()
		allowance = min(allowance+now.Sub(last).Seconds()*outputPerSec, outputBurst)
		last = now
		keep := min(n, int(allowance))
		allowance -= float64(keep)
		o.keep(buffer[:keep], n-keep)
		if err != nil {
			return
		}
		if keep < n {
			time.Sleep(outputPause)
		}
	}
}

func (o *output) keep(b []byte, dropped int) {
	o.mu.Lock()
	o.written += int64(len(b))
	o.dropped += int64(dropped)
	o.mu.Unlock()
	if len(b) == 0 {
		return
	}
	o.journal.write(b)
	if o.show != nil {
		_, _ = o.show.Write(b) // whoever looks on does not hold up the module
	}
}

// kept is a copy of this run's, oldest byte first.
func (o *output) kept() []byte { return o.journal.since(o.began) }

// counts are bytes, for the log.
func (o *output) counts() (written, dropped int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.written, o.dropped
}

// end waits until all that the dead child wrote was read.
func (o *output) end() {
	_ = o.pipe.SetReadDeadline(time.Now().Add(outputGrace))
	<-o.done
	_ = o.pipe.Close()
}
