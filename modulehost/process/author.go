package process

import (
	"io"
	"sync"
	"time"
)

// The limits of what the platform tells the author of a module about its requests. Anybody who may send one
// can cause such lines, and the journal keeps only the last 64 KiB.
const (
	reportLines = 20
	reportEvery = time.Minute
	reportBytes = 1 << 10 // of a line
)

// author receives what the author of a module reads: the output of its runs and the platform's own lines.
type author struct {
	journal *Journal
	show    io.Writer // nil: none

	mu      sync.Mutex
	cut     bool // the output does not end with a complete line
	since   time.Time
	reports int
}

// Write adds output of the module.
func (a *author) Write(b []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.write(b)
	return len(b), nil
}

func (a *author) write(b []byte) {
	a.journal.write(b)
	a.cut = len(b) > 0 && b[len(b)-1] != '\n'
	if a.show != nil {
		_, _ = a.show.Write(b) // an error does not affect the module
	}
}

// Tell adds a line of the platform's own to what the module wrote, for its author. It may contain what the
// module has sent, so it is not logged.
func (p *Process) Tell(line string) {
	a := p.author
	a.mu.Lock()
	defer a.mu.Unlock()
	if now := time.Now(); now.Sub(a.since) >= reportEvery {
		a.since, a.reports = now, 0
	}
	if a.reports++; a.reports > reportLines {
		return
	}
	line = line[:min(len(line), reportBytes)] + "\n"
	if a.cut {
		line = "\n" + line
	}
	a.write([]byte(line))
}
