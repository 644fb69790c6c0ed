package process

import (
	"os"
	"sync"
	"time"
)

const (
	keptOutput   = 64 << 10 // bytes: the last ones, for the operator
	outputPerSec = 8 << 10  // bytes that are kept for each second
	outputBurst  = keptOutput
	// outputPause bounds the host's CPU time for endless output: it reads 32 KiB a millisecond, and the rest
	// waits in the module.
	outputPause = time.Millisecond
	// outputGrace is how long to wait for a descendant that left the process group and still has the pipe open.
	outputGrace = 100 * time.Millisecond
)

// output reads a child's standard output and error to the end, because a pipe that nobody reads would block
// the module after 64 KiB. It keeps a small part in the process's journal, and copies nothing into the host's
// log, because a panic prints its argument.
type output struct {
	pipe   *os.File
	author *author
	began  int64 // the journal's position before this run
	done   chan struct{}

	mu      sync.Mutex
	written int64 // bytes kept so far, including overwritten ones
	dropped int64 // bytes dropped because of the rate
}

func readOutput(pipe *os.File, author *author) *output {
	o := &output{pipe: pipe, author: author, began: author.journal.position(), done: make(chan struct{})}
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
	_, _ = o.author.Write(b)
}

// kept returns a copy of this run's output, oldest byte first.
func (o *output) kept() []byte { return o.author.journal.since(o.began) }

// counts returns numbers of bytes, for the log.
func (o *output) counts() (written, dropped int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.written, o.dropped
}

// end waits until everything that the dead child wrote is read.
func (o *output) end() {
	_ = o.pipe.SetReadDeadline(time.Now().Add(outputGrace))
	<-o.done
	_ = o.pipe.Close()
}
