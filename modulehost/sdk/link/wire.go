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
	// the write, so that a stopped peer cannot block a caller beyond its deadline.
	senderWait = time.Millisecond
	// maxBatches is how many batches a sender writes before a goroutine writes the rest: one caller must not
	// send the frames of all others for ever.
	maxBatches = 8
	// maxQueued bounds the bytes that wait for the socket; later senders wait for room, within their own
	// deadlines. Measured: with 256 KiB, batches of 64 KiB messages outgrow both the reused buffer and the
	// socket's, which costs two thirds of the throughput.
	maxQueued = 128 << 10
)

// wire writes frames and stores whether the link works. A sender that finds no write in progress writes
// everything that is queued. So under load one write sends many frames, and a lone frame is sent at once
// without another goroutine.
type wire struct {
	conn          net.Conn
	gone          chan struct{}    // closed when the link is lost
	othersSending func() bool      // whether others are about to send; called without a lock
	immediate     *immediateWriter // nil: conn is not a socket

	memory Memory
	batch  int // bytes of the batch that is being written

	mu      sync.Mutex
	lost    error // the first cause, wrapped in ErrLost
	queue   []byte
	spare   []byte
	writing bool
	room    chan struct{} // not nil while a sender waits; closed when the queue was taken

	background sync.WaitGroup // writes that continue without their sender
}

func newWire(conn net.Conn, crowd func() bool, memory Memory) *wire {
	enlarge(conn)
	return &wire{conn: conn, gone: make(chan struct{}), othersSending: crowd,
		immediate: newImmediateWriter(conn), memory: memory}
}

// send queues one frame whose payload is the message, or the frame's own payload if there is none, and
// ensures that it is sent. A nil error means that it is queued, not that it was received. ctx bounds the wait
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
	if err := w.enqueue(f, message, size); err != nil {
		return err
	}
	if !w.writing {
		w.writing = true
		if w.othersSending() {
			w.mu.Unlock()
			// Other senders that are about to queue a frame join this batch: 1.6 times as many calls with 32 senders.
			// For a lone sender it would only wake a thread.
			runtime.Gosched()
			w.mu.Lock()
		}
		w.drain()
	}
	return nil
}

// encode returns the payload for a frame that send cannot refuse any more, unless the link is lost.
func encode(message proto.Message) (payload []byte, err error) {
	defer func() {
		if recover() != nil { // as in send
			err = ErrUnencodable
		}
	}()
	if message == nil {
		return nil, nil
	}
	if payload, err = proto.Marshal(message); err != nil {
		return nil, ErrUnencodable
	}
	if len(payload) > MaxMessage {
		return nil, ErrTooLarge
	}
	return payload, nil
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
	w.memory.Add(headBytes + size)
	return nil
}

// drain must be called with the lock held and writing set, and returns with the lock held.
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

// handOver makes a background goroutine write the rest of a batch, and what is queued after it. wait waits
// for that goroutine.
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

// takeBatch must be called with the lock held. It takes everything that is queued as one batch.
func (w *wire) takeBatch() []byte {
	out := w.queue
	w.batch = len(out)
	w.queue, w.spare = w.spare[:0], nil
	w.wakeWaiting()
	return out
}

// finishBatch must be called with the lock held, after a batch was written or has failed.
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
		_ = w.conn.Close() // wakes the reader and a blocked write, which may have written a part of a frame
	}
	return w.lost
}

// wait returns when every background write has ended. It must be called after fail.
func (w *wire) wait() {
	w.background.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.memory.Release(len(w.queue) + w.batch) // frames that were not sent
	w.queue, w.batch = nil, 0
}
