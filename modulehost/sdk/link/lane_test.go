package link_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

// share gives the pair's sockets lanes, and returns the memory that both ends have mapped.
func (p *pair) share(tb testing.TB) []byte {
	tb.Helper()
	memory, err := unix.Mmap(-1, 0, len(p.far)*link.LaneBytes, unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_SHARED|unix.MAP_ANONYMOUS)
	if err != nil {
		tb.Fatal(err)
	}
	for descriptor, socket := range p.far {
		socket.Share(memory[int(descriptor-5)*link.LaneBytes:][:link.LaneBytes])
	}
	p.bodies.Share(&link.LaneMemory{Bytes: memory, Empty: func() {}, Free: func() { _ = unix.Munmap(memory) }})
	return memory
}

// numbered returns n bytes whose values depend on their position.
func numbered(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i % 251)
	}
	return b
}

// passOn is a module's handler that reads the request's body, only part bytes of it if part is not 0, and
// sends them back.
func passOn(p *pair, c *link.Call, part int) error {
	socket := p.far[uint32(c.Method)]
	incoming := socket.Incoming(c.Want)
	if bytes.Contains(c.Payload, []byte("back")) { // the body is buffered
		incoming = socket.Incoming(nil)
	}
	defer incoming.Close()
	var source io.Reader = incoming
	if part > 0 {
		source = io.LimitReader(source, int64(part))
	}
	body, err := io.ReadAll(source)
	if err != nil {
		return err
	}
	incoming.Deny()
	if err := c.Respond(nil, true); err != nil {
		return err
	}
	w := link.NewBodyWriter(true)
	defer w.Release()
	may := !incoming.UsesLane()
	if may {
		if err := w.Move(socket); err != nil {
			return err
		}
	}
	for len(body) > 0 {
		n := copy(w.Room(), body)
		w.Grow(n)
		if body = body[n:]; len(w.Room()) > 0 {
			break
		}
		long, err := w.Send(socket, false)
		if err == nil && long && may {
			err = w.Move(socket)
		}
		if err != nil {
			return err
		}
	}
	return w.End(socket, true)
}

// insideWriter is a buffer that counts the bytes that it gets from within the memory.
type insideWriter struct {
	bytes.Buffer
	memory []byte
	inside int
}

func (w *insideWriter) Write(p []byte) (int, error) {
	first, at := uintptr(unsafe.Pointer(&w.memory[0])), uintptr(unsafe.Pointer(&p[0]))
	if at >= first && at < first+uintptr(len(w.memory)) {
		w.inside += len(p)
	}
	return w.Buffer.Write(p)
}

// TestWriteToOfABodyInALane checks that the bytes of a streamed body are not copied, and what WriteTo returns
// of a body that has ended, or that may no longer be read.
func TestWriteToOfABodyInALane(t *testing.T) {
	sent := numbered(9*link.SlotBytes + 1)
	var memory []byte
	p := newPair(t, 1, func(p *pair, _ context.Context, c *link.Call) error {
		incoming := p.far[5].Incoming(c.Want)
		defer incoming.Close()
		got := insideWriter{memory: memory}
		_, _ = io.CopyN(&got, incoming, 10) // the rest of its slot is not copied
		n, err := incoming.WriteTo(&got)
		if !bytes.Equal(got.Bytes(), sent) || n != int64(len(sent)-10) || err != nil {
			t.Errorf("%d bytes, %v", n, err)
		}
		if got.inside < len(sent)-link.SlotBytes {
			t.Errorf("%d bytes of %d were not copied", got.inside, len(sent))
		}
		if n, err := incoming.WriteTo(&got); n != 0 || err != nil {
			t.Errorf("after the end: %d bytes, %v", n, err)
		}
		incoming.Deny()
		if _, err := incoming.WriteTo(&got); err != link.ErrBodyClosed {
			t.Errorf("%v, want %v", err, link.ErrBodyClosed)
		}
		return nil
	})
	memory = p.share(t)
	for range 3 {
		x := p.begin(t, true)
		err := x.AwaitResponse(testContext(t), func() { x.Upload(bytes.NewReader(sent), int64(len(sent))) })
		if whole, cut := x.Halt(func() {}); err != nil || !whole || cut != nil {
			t.Error(err, whole, cut)
		}
		x.Close()
	}
}

// TestBodiesInALane sends bodies of many sizes in both directions, one after the other on few lanes and
// several at a time. Some are complete, others are aborted by the module. Each comes back unchanged.
func TestBodiesInALane(t *testing.T) {
	const slot = link.SlotBytes
	for _, part := range []int{0, 10, slot + 1} {
		t.Run("part="+strconv.Itoa(part), func(t *testing.T) {
			p := newPair(t, 2, func(p *pair, _ context.Context, c *link.Call) error { return passOn(p, c, part) })
			p.share(t)
			var callers sync.WaitGroup
			for range 3 {
				callers.Go(func() {
					for _, size := range []int{0, 1, slot, slot + 1, 4*slot + 1, 5 << 20} {
						sent := numbered(size)
						want := sent
						if part > 0 {
							want = sent[:min(size, part)]
						}
						x := p.begin(t, true)
						err := x.AwaitResponse(testContext(t), func() { x.Upload(bytes.NewReader(sent), int64(size)) })
						_, _ = x.Halt(func() {})
						if err == nil {
							err = x.OpenBody(testContext(t), true)
						}
						var got []byte
						if err == nil {
							got, err = readNext(x)
						}
						x.Close()
						if err != io.EOF || sha256.Sum256(got) != sha256.Sum256(want) {
							t.Errorf("a body of %d bytes: %d came back, error %v; want %d and %v", size, len(got), err,
								len(want), io.EOF)
						}
					}
				})
			}
			callers.Wait()
		})
	}
}

func readNext(x *link.Exchange) (got []byte, err error) {
	buffer := make([]byte, link.PieceBuffer)
	for err == nil {
		var b []byte
		b, err = x.Next(buffer)
		got = append(got, b...)
	}
	return got, err
}

// TestAnUnreadBodyIsNotTheNextOnes: a handler that does not read a buffered body responds, and the next call
// uses the same socket before the handler has dropped the body.
func TestAnUnreadBodyIsNotTheNextOnes(t *testing.T) {
	p := newPair(t, 1, func(p *pair, _ context.Context, c *link.Call) error {
		incoming := p.far[uint32(c.Method)].Incoming(nil)
		defer func() {
			for range rand.IntN(100) {
				runtime.Gosched()
			}
			incoming.Close()
		}()
		b := make([]byte, 1)
		if bytes.Contains(c.Payload, []byte("read")) {
			_, _ = io.ReadFull(incoming, b)
		}
		return c.Respond(raw(b), false)
	})
	for n := range 200 {
		kind, want := "skip", byte(0)
		if n%2 == 1 {
			kind, want = "read", byte(n)
		}
		body := link.NewBufferedBody(100)
		copy(body.Data(), bytes.Repeat([]byte{byte(n)}, 100))
		socket, err := p.bodies.Take(testContext(t), false)
		if err != nil {
			t.Fatal(err)
		}
		response := new(wrapperspb.BytesValue)
		x, err := p.Begin(testContext(t), link.Outgoing{Method: link.Method(socket.Descriptor()),
			Request: raw([]byte(kind)), Response: response, Within: 20 * time.Second, Bodies: p.bodies,
			Socket: socket, Body: body})
		if err == nil {
			err = x.SendBody(testContext(t))
		}
		if err == nil {
			err = x.AwaitResponse(testContext(t), nil)
		}
		if err != nil || len(response.Value) != 1 || response.Value[0] != want {
			t.Fatalf("call %d: %v, %v, want the byte %d of its own body", n, response.Value, err, want)
		}
		x.Close()
		body.Release()
	}
}

// TestLaneMemory checks when a pool releases the memory of its lanes: the pages after 10 s without a loan,
// and the mapping after the pool was closed and the last exchange, which may still write from it, has ended.
func TestLaneMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var emptied, freed atomic.Int32
		socket := link.NewSocket(5, &scriptedStream{bytes.NewReader(nil), 1})
		bodies := link.NewBodies([]*link.Socket{socket})
		bodies.Share(&link.LaneMemory{Bytes: make([]byte, link.LaneBytes), Empty: func() { emptied.Add(1) },
			Free: func() { freed.Add(1) }})
		near, far := net.Pipe()
		go func() { _, _ = io.Copy(io.Discard, far) }()
		c := link.NewClient(near)
		begin := func() *link.Exchange {
			socket, err := bodies.Take(t.Context(), true)
			if err != nil {
				t.Fatal(err)
			}
			x, err := c.Begin(t.Context(), link.Outgoing{Within: time.Hour, Bodies: bodies, Socket: socket})
			if err != nil {
				t.Fatal(err)
			}
			return x
		}
		x := begin()
		time.Sleep(time.Minute)
		if synctest.Wait(); emptied.Load() != 0 {
			t.Error("a lane in use was emptied")
		}
		bodies.Close()
		if freed.Load() != 0 {
			t.Error("a lane in use was freed")
		}
		x.Close()
		if synctest.Wait(); freed.Load() != 1 {
			t.Errorf("freed %d times, want once", freed.Load())
		}
		_ = c.Close()

		socket = link.NewSocket(5, &scriptedStream{bytes.NewReader(nil), 1})
		bodies = link.NewBodies([]*link.Socket{socket})
		bodies.Share(&link.LaneMemory{Bytes: make([]byte, link.LaneBytes), Empty: func() { emptied.Add(1) },
			Free: func() { freed.Add(1) }})
		time.Sleep(9 * time.Second)
		if synctest.Wait(); emptied.Load() != 0 {
			t.Error("emptied too early")
		}
		time.Sleep(2 * time.Second)
		if synctest.Wait(); emptied.Load() != 1 {
			t.Errorf("emptied %d times, want once", emptied.Load())
		}
		bodies.Close()
		if freed.Load() != 2 {
			t.Errorf("freed %d times, want twice", freed.Load())
		}
	})
}

// TestBodyWaitsForASocket: a body waits for a free socket for 5 s, or as long as the pool's user wants.
func TestBodyWaitsForASocket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, within := range []time.Duration{5 * time.Second, time.Second} {
			bodies := link.NewBodies(nil)
			if within != 5*time.Second {
				bodies.WaitAtMost(within)
			}
			began := time.Now()
			if _, err := bodies.Take(t.Context(), false); !errors.Is(err, link.ErrBodiesBusy) ||
				time.Since(began) != within {
				t.Errorf("without a socket: error %v after %v, want %v after %v", err, time.Since(began),
					link.ErrBodiesBusy, within)
			}
			bodies.Close()
		}
	})
}

// TestHostileLane uses a module that writes random bytes into its lanes and their sockets while bodies are
// sent in both directions. The host ends every exchange and survives. No body is longer than its pieces.
func TestHostileLane(t *testing.T) {
	upload := numbered(3 << 20)
	for seed := range uint64(10) {
		random := rand.New(rand.NewPCG(seed, 1))
		p := newPair(t, 1, func(p *pair, _ context.Context, c *link.Call) error {
			_ = c.Want()
			if random.IntN(2) == 0 {
				_, _ = io.CopyN(io.Discard, p.raw[uint32(c.Method)], int64(random.IntN(40)))
			}
			_ = c.Respond(nil, true)
			_ = p.raw[uint32(c.Method)].SetWriteDeadline(time.Now().Add(time.Second))
			_, _ = p.raw[uint32(c.Method)].Write(nonsense(random))
			return nil
		})
		memory := p.share(t)
		stop := make(chan struct{})
		var scribbler sync.WaitGroup
		scribbler.Go(func() {
			random := rand.New(rand.NewPCG(seed, 2))
			for {
				select {
				case <-stop:
					return
				default:
					memory[random.IntN(len(memory))] = byte(random.Uint32())
				}
			}
		})
		for range 5 {
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			socket, err := p.bodies.Take(ctx, true)
			if err != nil {
				cancel()
				break // the module blocks its only socket, or has lost the link
			}
			x, err := p.Begin(ctx, link.Outgoing{
				Method: 5, Within: time.Second, Pause: 50 * time.Millisecond, Bodies: p.bodies, Socket: socket,
				Streamed: true,
			})
			if err != nil {
				cancel()
				break
			}
			err = x.AwaitResponse(ctx, func() { x.Upload(bytes.NewReader(upload), 3<<20) })
			_, _ = x.Halt(func() {})
			if err == nil && x.Follows() && x.OpenBody(ctx, true) == nil {
				if got, err := readNext(x); errors.Is(err, io.EOF) && len(got) > 64*link.MaxPiece {
					t.Errorf("seed %d: a body of %d bytes", seed, len(got))
				}
			}
			x.Close()
			cancel()
		}
		close(stop)
		scribbler.Wait()
		p.bodies.Close()
		_ = p.Close()
	}
}

// nonsense returns pieces of which most look valid.
func nonsense(random *rand.Rand) (b []byte) {
	for range random.IntN(8) {
		kind, n := byte(random.IntN(9)), 0
		switch kind {
		case 1:
			n = random.IntN(2000)
		case 6:
			n = random.IntN(link.SlotBytes + 2)
		case 7:
			n = random.IntN(6)
		}
		b = append(b, kind, byte(n), byte(n>>8), byte(n>>16))
		if kind == 1 {
			b = append(b, make([]byte, n)...)
		}
	}
	return b
}

// FuzzFreed checks an upload of the host while the module sends random pieces: there are never more filled
// slots than the module has freed.
func FuzzFreed(f *testing.F) {
	freed := []byte{7, 2, 0, 0}
	for _, said := range [][]byte{
		nil, freed, slices.Concat(freed, freed, freed), {7, 1, 0, 0}, {7, 5, 0, 0}, {7, 0, 0, 0}, {7, 0, 0, 1},
		{6, 1, 0, 0}, {3, 0, 0, 0}, {1, 1, 0, 0, 'a'}, slices.Concat(freed, []byte{7, 2}),
	} {
		f.Add(said, uint8(3))
	}
	f.Fuzz(func(t *testing.T, said []byte, step uint8) {
		// All 4 slots are filled, and then as many as the valid pieces in said free.
		slots := 4
		for at, used := 0, 4; at+4 <= len(said) && said[at] == 7 && said[at+2] == 0 && said[at+3] == 0; at += 4 {
			n := int(said[at+1])
			if n == 0 || n > used {
				break
			}
			slots += n // they are filled again before more is read
		}
		near, far := net.Pipe()
		go func() { _, _ = io.Copy(io.Discard, far) }()
		c := link.NewClient(near)
		to := &heardStream{scriptedStream: scriptedStream{bytes.NewReader(said), int(step) + 1},
			ended: make(chan struct{})}
		bodies := link.NewBodies([]*link.Socket{link.NewSocket(5, to)})
		bodies.Share(&link.LaneMemory{Bytes: make([]byte, link.LaneBytes), Empty: func() {}, Free: func() {}})
		socket, _ := bodies.Take(t.Context(), true)
		x, err := c.Begin(t.Context(), link.Outgoing{Within: time.Minute, Bodies: bodies, Socket: socket,
			Streamed: true})
		if err != nil {
			t.Fatal(err)
		}
		x.Upload(endless{}, 1<<40)
		<-to.ended
		_, _ = x.Halt(func() {})
		if to.shared != slots {
			t.Errorf("%d slots were filled, want %d", to.shared, slots)
		}
		bodies.Close()
		x.Close()
		_ = c.Close()
		_ = far.Close()
	})
}

// heardStream is a scriptedStream that counts the shared pieces that are written to it, and closes ended at
// the ending of a body.
type heardStream struct {
	scriptedStream
	shared int
	ended  chan struct{}
}

func (h *heardStream) Write(p []byte) (int, error) {
	n := len(p)
	for ; len(p) >= 4; p = p[4:] {
		switch p[0] {
		case 6:
			h.shared++
		case 3, 4, 5:
			close(h.ended)
		}
	}
	return n, nil
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

// TestClosedPoolLendsNoLane: after Close the lanes' memory may be gone, and it is freed once.
func TestClosedPoolLendsNoLane(t *testing.T) {
	end, other := net.Pipe()
	defer other.Close()
	bodies := link.NewBodies([]*link.Socket{link.NewSocket(5, end)})
	freed := 0
	bodies.Share(&link.LaneMemory{Bytes: make([]byte, link.LaneBytes), Empty: func() {},
		Free: func() { freed++ }})
	bodies.Close()
	if socket, err := bodies.Take(t.Context(), true); socket != nil || !errors.Is(err, link.ErrLost) {
		t.Errorf("Take after Close: %v, %v, want ErrLost", socket, err)
	}
	if freed != 1 {
		t.Errorf("the memory was freed %d times, want once", freed)
	}
}
