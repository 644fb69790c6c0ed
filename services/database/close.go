package database

import (
	"sync"
	"time"
)

// Close closes all pools: idle connections at once, those in use when they are released. After 5 s it closes
// the sockets of the rest and returns ErrCloseTimedOut, at the latest 7 s after the call. Close may be called
// twice. Commands without a supervisor call it themselves.
func (d *Database) Close() error {
	d.closeOnce.Do(func() {
		d.mu.Lock()
		d.ended = true
		closing := []func(){d.core.Close}
		for _, pool := range d.pools {
			closing = append(closing, pool.Close)
		}
		d.pools = nil
		d.mu.Unlock()
		d.closeErr = d.closeAll(closing)
		close(d.closed)
	})
	<-d.closed
	return d.closeErr
}

func (d *Database) closeAll(closing []func()) error {
	var working sync.WaitGroup
	for _, close := range closing {
		working.Go(close)
	}
	working.Go(d.probe.close)
	closed := make(chan struct{})
	go func() { working.Wait(); close(closed) }()
	select {
	case <-closed:
		return nil
	case <-time.After(d.closeGrace):
	}
	d.sockets.cut()
	select {
	case <-closed:
	// a connection that is never released keeps one goroutine waiting; its socket is closed
	case <-time.After(closeForce):
	}
	return ErrCloseTimedOut
}
