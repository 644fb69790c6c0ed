package database

import (
	"context"
	"fmt"
	"net"
	"os"
	"sync"
	"time"
)

const (
	// slowDial is how long a refused connection may take before its server counts as absent.
	slowDial = 500 * time.Millisecond
	// absentFor is how long an absent server is skipped before one connection tries it again.
	absentFor = 10 * time.Second
)

// errAbsent is the error of a dial to a skipped server.
var errAbsent = fmt.Errorf("an absent server: %w", os.ErrDeadlineExceeded)

// unreachable remembers the addresses that do not respond. Without it, each new connection would first wait
// for the machine of a lost primary, and most callers would give up before the promoted standby is tried.
type unreachable struct {
	period time.Duration // for which they are skipped
	mu     sync.Mutex
	until  map[string]time.Time
}

func newUnreachable() *unreachable {
	return &unreachable{period: absentFor, until: make(map[string]time.Time)}
}

// skipAbsent returns a dial function that skips absent servers: for them it fails at once.
func (a *unreachable) skipAbsent(dial dialFunc) dialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		if a.isAbsent(address) {
			return nil, errAbsent
		}
		began := time.Now()
		conn, err := dial(ctx, network, address)
		a.note(address, err != nil && time.Since(began) >= slowDial)
		return conn, err
	}
}

// isAbsent returns false for one caller when the period has passed, so that this caller tries the server
// again.
func (a *unreachable) isAbsent(address string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	until, known := a.until[address]
	if !known {
		return false
	}
	if time.Now().Before(until) {
		return true
	}
	a.until[address] = time.Now().Add(a.period)
	return false
}

func (a *unreachable) note(address string, absent bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if absent {
		a.until[address] = time.Now().Add(a.period)
	} else {
		delete(a.until, address)
	}
}
