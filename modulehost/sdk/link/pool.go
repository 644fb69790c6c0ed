package link

import (
	"context"
	"sync"
	"time"
)

// Bodies is the host's pool of one process's body sockets. It is safe for concurrent use.
type Bodies struct {
	free   chan *Socket // sockets without a lane, and any socket while callers wait
	all    []*Socket
	within time.Duration

	closing sync.Once
	closed  chan struct{}

	mu      sync.Mutex
	lanes   []*Socket // free sockets with a lane; the last used one is lent first, because its pages exist
	shared  int       // how many sockets have a lane
	waiting int       // callers that wait in Take
	memory  *LaneMemory
	users   int // exchanges that may use the memory
	idle    *time.Timer
	over    bool
}

// LaneMemory is the memory of the lanes. Free is called once, when no exchange uses Bytes any more. Empty is
// called when no lane has been in use for 10 s; it releases the pages, and Bytes stay mapped.
type LaneMemory struct {
	Bytes       []byte // LaneBytes for each lane
	Empty, Free func()
}

const (
	// bodyWithin is how long a body waits for a free socket (docs/reference/modules.md).
	bodyWithin = 5 * time.Second
	// Spare leaves at least reserved sockets free.
	reserved = 16
	// idleWithin is after how much idle time lanes release their memory.
	idleWithin = 10 * time.Second
)

// ErrBodiesBusy: no socket became free in time; the module has not received the body.
const ErrBodiesBusy = Error("MODULE_OVERLOADED")

// NewBodies returns a pool of these sockets.
func NewBodies(sockets []*Socket) *Bodies {
	b := &Bodies{free: make(chan *Socket, len(sockets)), all: sockets, within: bodyWithin,
		closed: make(chan struct{})}
	for _, socket := range sockets {
		b.free <- socket
	}
	return b
}

// WaitAtMost sets how long a body waits for a free socket. It is called before the first body.
func (b *Bodies) WaitAtMost(within time.Duration) { b.within = within }

// Share gives the first sockets lanes, as many as there is memory for, and takes over memory. It is called at
// most once, before the first body.
func (b *Bodies) Share(memory *LaneMemory) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.over {
		memory.Free()
		return
	}
	b.memory = memory
	b.idle = time.AfterFunc(idleWithin, b.empty)
	rest := memory.Bytes
	for range b.all {
		socket := <-b.free
		if len(rest) < LaneBytes {
			b.free <- socket
			continue
		}
		socket.Share(rest[:LaneBytes:LaneBytes])
		rest = rest[LaneBytes:]
		b.lanes = append(b.lanes, socket)
	}
	b.shared = len(b.lanes)
}

// Take waits for a free socket: at most 5 s (ErrBodiesBusy), or until ctx ends (its error) or the process
// ends (ErrLost). With long, it returns a socket with a lane if one is free (SharedBody).
func (b *Bodies) Take(ctx context.Context, long bool) (*Socket, error) {
	if socket := b.takeFree(long, true); socket != nil {
		return socket, nil
	}
	defer b.leaveQueue()
	timeout := time.NewTimer(b.within)
	defer timeout.Stop()
	select {
	case socket := <-b.free:
		if lent := b.lend(socket); lent != nil {
			return lent, nil
		}
		return nil, ErrLost
	case <-timeout.C:
		return nil, ErrBodiesBusy
	case <-b.closed:
		return nil, ErrLost
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Spare returns a free socket, as Take does, if more than half of all sockets are free; otherwise nil.
func (b *Bodies) Spare(long bool) *Socket {
	b.mu.Lock()
	free := len(b.free) + len(b.lanes)
	b.mu.Unlock()
	if free <= reserved {
		return nil
	}
	return b.takeFree(long, false)
}

// takeFree returns nil if no socket is free, or after Close. With waits, it then counts the caller as waiting
// for b.free.
func (b *Bodies) takeFree(long, waits bool) *Socket {
	b.mu.Lock()
	defer b.mu.Unlock()
	if socket := b.removeFree(long); socket != nil {
		if lent := b.lendLocked(socket); lent != nil {
			return lent
		}
	}
	if waits {
		b.waiting++
	}
	return nil
}

func (b *Bodies) removeFree(long bool) *Socket {
	if !long {
		select {
		case socket := <-b.free:
			return socket
		default:
		}
	}
	if last := len(b.lanes) - 1; last >= 0 {
		socket := b.lanes[last]
		b.lanes = b.lanes[:last]
		return socket
	}
	select {
	case socket := <-b.free:
		return socket
	default:
		return nil
	}
}

func (b *Bodies) leaveQueue() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting--
}

func (b *Bodies) lend(socket *Socket) *Socket {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.lendLocked(socket)
}

// lendLocked must be called with the lock held. It returns nil after Close, because the lanes' memory may be
// gone.
func (b *Bodies) lendLocked(socket *Socket) *Socket {
	if b.over {
		return nil
	}
	if socket.lane != nil {
		b.users++
		b.idle.Stop()
	}
	return socket
}

func (b *Bodies) give(socket *Socket) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if socket.lane == nil || b.waiting > 0 {
		b.free <- socket
		return
	}
	b.lanes = append(b.lanes, socket)
}

// leaveLane is called once for each loan of a socket with a lane, when its memory is no longer used for that
// loan.
func (b *Bodies) leaveLane() {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch b.users--; {
	case b.users > 0:
	case b.over:
		b.memory.Free()
	default:
		b.idle.Reset(idleWithin)
	}
}

func (b *Bodies) empty() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.users == 0 && !b.over {
		b.memory.Empty()
	}
}

// Close closes every socket, including lent ones. Reads and writes in progress end.
func (b *Bodies) Close() {
	b.closing.Do(func() {
		close(b.closed)
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.over = true; b.memory == nil {
			return
		}
		if b.idle.Stop(); b.users == 0 {
			b.memory.Free()
		}
	})
	for _, socket := range b.all {
		_ = socket.stream.Close()
	}
}
