package link

import (
	"context"
	"errors"
	"net"
	"os"
	"runtime"
	"slices"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"
)

const (
	// senderWait is how long a sender itself waits for the socket. After that a background goroutine finishes
	// the write, so that a stopped peer cannot hold a caller past its deadline.
	senderWait = time.Millisecond
	// maxBatches is how many batches a sender writes before the rest goes on without it: one caller must not
	// carry all others' frames for ever.
	maxBatches = 8
	// maxQueued bounds the bytes that wait for the socket; later senders wait for room, within their own
	// deadline. Measured: with 256 KiB, batches of 64 KiB messages outgrow what is reused and the socket, at a
	// third of the throughput.
	maxQueued = 128 << 10
)

// wire writes frames and knows whether the link still works. A sender that finds no write in progress writes
// everything that is queued. So one write carries many frames under load, and a lone frame leaves at once
// without another goroutine.
type wire struct {
	conn          net.Conn
	gone          chan struct{}    // closed once the link is lost
	othersSending func() bool      // whether others are about to send too; asked without a lock
	immediate     *immediateWriter // nil: conn is no socket

	memory Memory
	batch  int // bytes of the one being written

	mu      sync.Mutex
	lost    error // the first cause, wrapped in ErrLost
	queue   []byte
	spare   []byte
	writing bool
	room    chan struct{} // not nil while a sender waits; closed when the queue was taken

	background sync.WaitGroup // writes that go on without their sender
}

func newWire(conn net.Conn, crowd func() bool, memory Memory) *wire {
	enlarge(conn)
	return &wire{conn: conn, gone: make(chan struct{}), othersSending: crowd,
		immediate: newImmediateWriter(conn), memory: memory}
}

// send queues one frame whose payload is the message, or the frame's own payload if there is none, and sees
// that it leaves. A nil error means queued, not received. ctx bounds the wait for room; a cancel waits for
// none, as its caller is leaving.
func (w *wire) send(ctx context.Context, f frame, message proto.Message) (err error) {
	defer func() {
		if recover() != nil { // protobuf panics when the caller changes the message meanwhile
			err = ErrUnencodable
		}
	}()
	size := len(f.payload)
	if message != nil {
		size = proto.Size(message)
	}
	if size > MaxMessage {
		return ErrTooLarge
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if f.kind != kindCancel {
		if err := w.waitForRoom(ctx); err != nil {
			return err
		}
	}
	if w.lost != nil {
		return w.lost
	}
	if err := w.enqueue(f, message, size); err != nil {
		return err
	}
	if !w.writing {
		w.writing = true
		if w.othersSending() {
			w.mu.Unlock()
			// Senders that are about to queue a frame join this batch: 1.6 times the calls at 32 senders. For a
			// lone sender it would only wake a thread.
			runtime.Gosched()
			w.mu.Lock()
		}
		w.drain()
	}
	return nil
}

// waitForRoom is called, and returns, with the lock held.
func (w *wire) waitForRoom(ctx context.Context) error {
	for w.lost == nil && len(w.queue) > maxQueued {
		if w.room == nil {
			w.room = make(chan struct{})
		}
		room := w.room
		w.mu.Unlock()
		var err error
		select {
		case <-room:
		case <-ctx.Done():
			err = ctx.Err()
		}
		w.mu.Lock()
		if err != nil {
			return err
		}
	}
	return nil
}

// enqueue leaves the queue as it was when protobuf refuses the message.
func (w *wire) enqueue(f frame, message proto.Message, size int) error {
	queue := appendHead(slices.Grow(w.queue, headBytes+size), f, size)
	if message == nil {
		queue = append(queue, f.payload...)
	} else {
		var err error
		if queue, err = (proto.MarshalOptions{UseCachedSize: true}).MarshalAppend(queue, message); err != nil {
			return ErrUnencodable
		}
	}
	if len(queue) != len(w.queue)+headBytes+size {
		return ErrUnencodable // it changed since it was measured; the head would lie
	}
	w.queue = queue
	w.memory.Add(headBytes + size)
	return nil
}

// drain is called, and returns, with the lock held and writing set.
func (w *wire) drain() {
	for round := 0; len(w.queue) > 0 && w.lost == nil; round++ {
		if round == maxBatches {
			w.handOver(nil, time.Time{})
			return
		}
		out := w.takeBatch()
		w.mu.Unlock()
		n, err := w.immediate.write(out)
		began := time.Now()
		if n < len(out) && err == nil {
			var more int
			more, err = w.write(out[n:], began.Add(senderWait))
			n += more
		}
		w.mu.Lock()
		if errors.Is(err, os.ErrDeadlineExceeded) && w.lost == nil {
			w.handOver(out[n:], began.Add(writeWithin))
			return
		}
		w.finishBatch(out, err)
	}
	w.writing = false
}

// handOver lets the rest of a batch, and what queues up behind it, leave without the sender. wait waits for
// it.
func (w *wire) handOver(rest []byte, until time.Time) {
	w.background.Go(func() {
		if len(rest) > 0 {
			_, err := w.write(rest, until)
			w.mu.Lock()
			w.finishBatch(rest, err)
		} else {
			w.mu.Lock()
		}
		defer w.mu.Unlock()
		for len(w.queue) > 0 && w.lost == nil {
			out := w.takeBatch()
			w.mu.Unlock()
			_, err := w.write(out, time.Now().Add(writeWithin))
			w.mu.Lock()
			w.finishBatch(out, err)
		}
		w.writing = false
	})
}

// takeBatch is called with the lock held: all that is queued now goes out as one batch.
func (w *wire) takeBatch() []byte {
	out := w.queue
	w.batch = len(out)
	w.queue, w.spare = w.spare[:0], nil
	w.wakeWaiting()
	return out
}

// finishBatch is called with the lock held, after a batch was written or was not.
func (w *wire) finishBatch(out []byte, err error) {
	w.memory.Release(w.batch)
	w.batch = 0
	if err != nil {
		w.failLocked(err)
	}
	if cap(out) <= keptBuffer {
		w.spare = out[:0]
	}
}

func (w *wire) write(out []byte, until time.Time) (int, error) {
	if err := w.conn.SetWriteDeadline(until); err != nil {
		return 0, err
	}
	return w.conn.Write(out)
}

func (w *wire) wakeWaiting() {
	if w.room != nil {
		close(w.room)
		w.room = nil
	}
}

// fail loses the link, unless it is lost already, and returns the first cause. It does not wait.
func (w *wire) fail(cause error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.failLocked(cause)
}

func (w *wire) failLocked(cause error) error {
	if w.lost == nil {
		w.lost = lost(cause)
		close(w.gone)
		w.wakeWaiting()
		_ = w.conn.Close() // wakes the reader and a blocked write; half a frame may be out
	}
	return w.lost
}

func (w *wire) isGone() bool {
	select {
	case <-w.gone:
		return true
	default:
		return false
	}
}

// wait returns when every background write has ended. It is called after fail.
func (w *wire) wait() {
	w.background.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.memory.Release(len(w.queue) + w.batch) // what did not leave
	w.queue, w.batch = nil, 0
}
