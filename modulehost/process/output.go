package process

import (
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
// would block the module after 64 KiB. It keeps little and copies nothing into the host's log, for a panic
// prints its argument.
type output struct {
	pipe *os.File
	done chan struct{}

	mu      sync.Mutex
	ring    []byte
	written int64 // bytes kept so far, the overwritten ones included
	dropped int64 // bytes over the rate
}

func readOutput(pipe *os.File) *output {
	o := &output{pipe: pipe, done: make(chan struct{})}
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
	defer o.mu.Unlock()
	o.dropped += int64(dropped)
	for _, c := range b {
		if len(o.ring) < keptOutput {
			o.ring = append(o.ring, c)
		} else {
			o.ring[o.written%keptOutput] = c
		}
		o.written++
	}
}

// kept is a copy, oldest byte first.
func (o *output) kept() []byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.ring) < keptOutput {
		return append([]byte(nil), o.ring...)
	}
	at := o.written % keptOutput
	return append(append([]byte(nil), o.ring[at:]...), o.ring[:at]...)
}

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
