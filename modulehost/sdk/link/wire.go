package link

import (
	"context"
	"net"
	"slices"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"
)

// maxQueued bounds the bytes that wait for the socket; later senders wait for room, within their own
// deadlines. With twice as many, a batch of 64 KiB messages outgrows the reused buffer and the socket's,
// which costs most of the throughput.
const maxQueued = 128 << 10

// wire writes frames and stores whether the link works. One goroutine writes, so a peer that has stopped
// blocks no sender. What is queued while it writes is sent with its next write.
type wire struct {
	conn  net.Conn
	gone  chan struct{} // closed when the link is lost
	ended chan struct{} // closed when the goroutine has ended

	mu     sync.Mutex
	filled sync.Cond // on mu: the queue is not empty any more, or the link is lost
	lost   error     // the first cause, wrapped in ErrLost
	queue  []byte
	spare  []byte
	room   chan struct{} // not nil while a sender waits; closed when the queue was taken
}

func newWire(conn net.Conn) *wire {
	enlarge(conn)
	w := &wire{conn: conn, gone: make(chan struct{}), ended: make(chan struct{})}
	w.filled.L = &w.mu
	go w.run()
	return w
}

// send queues one frame whose payload is the message, or the frame's own payload if there is none, and
// has it sent. A nil error means that it is queued, not that it was received. ctx bounds the wait
// for room; a cancel does not wait, because its caller has given up.
func (w *wire) send(ctx context.Context, f frame, message proto.Message) (err error) {
	defer func() {
		if recover() != nil { // protobuf panics if the caller changes the message meanwhile
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
	return w.enqueue(f, message, size)
}

// waitForRoom must be called with the lock held, and returns with it.
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

// enqueue does not change the queue if protobuf refuses the message.
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
		return ErrUnencodable // the message has changed since it was measured, so the head is wrong
	}
	w.queue = queue
	w.filled.Signal()
	return nil
}

// run writes what is queued until the link is lost.
func (w *wire) run() {
	defer close(w.ended)
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		for len(w.queue) == 0 && w.lost == nil {
			w.filled.Wait()
		}
		if w.lost != nil {
			return
		}
		out := w.takeBatch()
		w.mu.Unlock()
		err := w.write(out)
		w.mu.Lock()
		w.finishBatch(out, err)
	}
}

// takeBatch must be called with the lock held. It takes everything that is queued as one batch.
func (w *wire) takeBatch() []byte {
	out := w.queue
	w.queue, w.spare = w.spare[:0], nil
	w.wakeWaiting()
	return out
}

// finishBatch must be called with the lock held, after a batch was written or has failed.
func (w *wire) finishBatch(out []byte, err error) {
	if err != nil {
		w.failLocked(err)
	}
	if cap(out) <= keptBuffer {
		w.spare = out[:0]
	}
}

func (w *wire) write(out []byte) error {
	if err := w.conn.SetWriteDeadline(time.Now().Add(writeWithin)); err != nil {
		return err
	}
	_, err := w.conn.Write(out)
	return err
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
		w.filled.Signal()
		_ = w.conn.Close() // wakes the reader and a blocked write, which may have written a part of a frame
	}
	return w.lost
}

// wait returns when the goroutine has ended. It must be called after fail.
func (w *wire) wait() { <-w.ended }
