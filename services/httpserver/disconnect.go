package httpserver

import (
	"sync"
	"syscall"
	"time"
)

// This file contains how a handler is notified that its client has disconnected.
//
// For this purpose net/http reads ahead in a goroutine for each request, and ends this read by a deadline
// when the response was sent. For a short request this costs more than its handler. So here the read returns
// at once without bytes. Only a request that takes longer is watched, by a goroutine that reads nothing.

// watchAfter is the time after which a request is watched; it may be twice as long.
const watchAfter = 10 * time.Millisecond

// unwatched contains the connections with a request that is not watched yet. One timer, which runs only while
// there are any, is used for all. A connection stays in it until a tick finds it without a request, because
// adding each of its requests would cost a lock that all connections share.
type unwatched struct {
	mu      sync.Mutex
	conns   []unwatchedConn
	ticking bool
	ended   bool
	timer   *time.Timer
	running sync.WaitGroup // ticks and watching goroutines
}

type unwatchedConn struct {
	conn *conn
	head uint // which request was in progress at the last tick; 0: there was no tick yet
}

func newUnwatched() *unwatched {
	u := &unwatched{}
	u.timer = time.AfterFunc(time.Hour, u.tick)
	u.timer.Stop()
	return u
}

func (u *unwatched) add(c *conn) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.conns = append(u.conns, unwatchedConn{conn: c}); !u.ticking {
		u.startTimer()
	}
}

func (u *unwatched) startTimer() {
	if u.ticking = len(u.conns) > 0 && !u.ended; u.ticking {
		u.timer.Reset(watchAfter)
	}
}

// tick begins to watch the requests that were in progress at the last tick, too.
func (u *unwatched) tick() {
	u.mu.Lock()
	if u.ended {
		u.mu.Unlock()
		return
	}
	u.running.Add(1)
	defer u.running.Done()
	all := u.conns
	u.conns = nil
	u.mu.Unlock()
	kept := all[:0]
	for _, entry := range all {
		if entry.head = entry.conn.watchClient(entry.head, &u.running); entry.head != 0 {
			kept = append(kept, entry)
		}
	}
	clear(all[len(kept):])
	u.mu.Lock()
	defer u.mu.Unlock()
	u.conns = append(kept, u.conns...)
	u.startTimer()
}

// end waits for every watching goroutine. The sockets must be closed before.
func (u *unwatched) end() {
	u.mu.Lock()
	u.ended = true
	u.timer.Stop()
	u.mu.Unlock()
	u.running.Wait()
}

// readsAhead reports whether a Read now is net/http's reading ahead: after a complete request that is still
// in progress.
func (c *conn) readsAhead() bool {
	return c.raw != nil && c.phase().busy() && c.framing.stage == between && !c.readClosed
}

// readAhead handles that Read: it returns true if the Read must return without bytes.
func (c *conn) readAhead() (answered bool) {
	c.mu.Lock()
	answered = c.readsAhead()
	added := answered && len(c.pending) == 0 && !c.unwatched
	c.unwatched = c.unwatched || added
	c.mu.Unlock()
	if added {
		c.all.unwatched.add(c)
	}
	return answered
}

// endsReadAhead reports whether net/http sets a deadline now only to end that Read.
func (c *conn) endsReadAhead() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.readsAhead()
}

// watchClient starts a goroutine that watches the client, if the request in progress is the seen one. It
// returns another request that is in progress, which may be watched later, or 0.
func (c *conn) watchClient(seen uint, running *sync.WaitGroup) (head uint) {
	c.mu.Lock()
	defer c.mu.Unlock()
	watchable := c.readsAhead() && len(c.pending) == 0 && c.phase() != phaseClosed && c.watched == nil
	if watchable && c.framing.heads != seen {
		return c.framing.heads
	}
	if c.unwatched = false; !watchable {
		return 0
	}
	watched := make(chan struct{})
	c.watched = watched
	running.Go(func() {
		defer close(watched)
		if c.waitForDisconnect() {
			c.cancelRequests()
		}
	})
	return 0
}

// stopWatching ends the watching goroutine before the next request is read. It is called with the lock held,
// and releases the lock while it waits.
func (c *conn) stopWatching() {
	watched := c.watched
	if watched == nil {
		return
	}
	_ = c.Conn.SetReadDeadline(past)
	c.mu.Unlock()
	<-watched
	c.mu.Lock()
	if c.watched = nil; !c.readClosed && !c.idleExpired {
		_ = c.Conn.SetReadDeadline(time.Time{})
	}
}

// waitForDisconnect waits until the client has disconnected, or until the watching is stopped. After a
// complete request a client may end its input and still wait for the response (RFC 9112 §9.6), so only a
// reset means that it has disconnected. A stream ends when the client ends its input, because nothing else
// shows soon that its reader has disconnected.
func (c *conn) waitForDisconnect() bool {
	var n int
	var failed error
	if c.raw.Read(func(fd uintptr) bool {
		n, failed = peek(fd)
		return failed != syscall.EAGAIN
	}) != nil {
		return c.streamEnds()
	}
	switch {
	case failed != nil:
		return true
	case n > 0:
		return false // the next request: after it no disconnect can be seen
	}
	c.mu.Lock()
	c.halfClosed = true
	streaming := c.streaming
	c.mu.Unlock()
	return streaming || c.raw.Read(broken) == nil || c.streamEnds()
}

// streamEnds reports whether the wait was ended because a stream began whose client had already ended its
// input.
func (c *conn) streamEnds() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.streaming && c.halfClosed
}

// peek returns how many bytes the next read would find, at most one.
func peek(fd uintptr) (n int, err error) {
	var b [1]byte
	for err = syscall.EINTR; err == syscall.EINTR; {
		n, _, err = syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
	}
	return n, err
}
