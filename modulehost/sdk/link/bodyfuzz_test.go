package link_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

func bodySeeds(f *testing.F) {
	data := func(s string) []byte { return append([]byte{1, byte(len(s)), 0, 0}, s...) }
	end, flush := []byte{3, 0, 0, 0}, []byte{2, 0, 0, 0}
	for _, said := range [][]byte{
		nil, end, {4, 0, 0, 0}, {5, 0, 0, 0}, {9, 0, 0, 0}, {1, 0, 0, 0}, {1, 255, 255, 255}, {1, 2},
		slices.Concat(data("abc"), end),
		slices.Concat(data("abc"), flush, data("d"), flush, flush, end, data("next")),
		slices.Concat(data("abc"), []byte{4, 0, 0, 0}, end), data("cut")[:5],
		slices.Concat([]byte{6, 3, 0, 0}, data("abc"), []byte{6, 0, 1, 0}, flush, []byte{6, 1, 0, 0}, end),
		{6, 0, 0, 0}, {6, 0, 0, 4, 3, 0, 0, 0}, {6, 1, 0, 4}, {7, 1, 0, 0}, {7, 0, 0, 0},
	} {
		f.Add(said, uint8(200), uint8(50))
		f.Add(said, uint8(1), uint8(1))
		f.Add(said, uint8(5), uint8(4))
	}
}

// laneMemory is the content of the lanes in both fuzz targets.
var laneMemory = sync.OnceValue(func() []byte { return numbered(link.LaneBytes) })

// expected reads a body as docs/link.md describes it. length counts its bytes with the ending; ending is
// io.EOF for a complete body, or the error of its ending.
func expected(said, memory []byte) (body []byte, length int, ending error) {
	shared := 0
	for at := 0; ; {
		if len(said) < at+4 {
			return body, at, link.ErrLost
		}
		kind, n := said[at], int(said[at+1])|int(said[at+2])<<8|int(said[at+3])<<16
		at += 4
		switch {
		case kind == 1 && n > 0 && n <= 1<<20:
			got := min(n, len(said)-at)
			body = append(body, said[at:at+got]...)
			if at += got; got < n {
				return body, at, link.ErrLost
			}
		case kind == 6 && n > 0 && n <= 256<<10:
			slot := memory[shared%4*256<<10:]
			body = append(body, slot[:n]...)
			shared++
		case n > 0: // also for freed slots, because none was filled
			return body, at, link.ErrLost
		case kind == 2:
		case kind == 3:
			return body, at, io.EOF
		case kind == 4:
			return body, at, link.ErrBodyAborted
		case kind == 5:
			return body, at, link.ErrBodyOverflow
		default:
			return body, at, link.ErrLost
		}
	}
}

func assertBody(t *testing.T, said, memory []byte, left int, got []byte, err error) {
	t.Helper()
	body, length, ending := expected(said, memory)
	if !bytes.Equal(got, body) || !errors.Is(err, ending) {
		t.Errorf("got %q, %v, want %q, %v", got, err, body, ending)
	}
	if used := len(said) - left; ending != link.ErrLost && used != length {
		t.Errorf("%d bytes were taken of a body of %d", used, length)
	}
}

func readAll(r io.Reader, size int) (got []byte, err error) {
	p := make([]byte, size)
	for err == nil {
		var n int
		n, err = r.Read(p)
		got = append(got, p[:n]...)
	}
	return got, err
}

// FuzzIncoming checks that a request's body is received with its bytes and its ending, whatever the host
// sends, with or without a lane, and that nothing after it is read.
func FuzzIncoming(f *testing.F) {
	bodySeeds(f)
	f.Fuzz(func(t *testing.T, said []byte, step, size uint8) {
		from := &scriptedStream{bytes.NewReader(said), int(step) + 1}
		socket, memory := link.NewSocket(5, from), laneMemory()
		socket.Share(memory)
		incoming := socket.Incoming(nil)
		got, err := readAll(incoming, int(size)+1)
		assertBody(t, said, memory, from.input.Len(), got, err)
		incoming.Close()
	})
}

// FuzzExchange checks the same for the body of a module's response.
func FuzzExchange(f *testing.F) {
	bodySeeds(f)
	f.Fuzz(func(t *testing.T, said []byte, step, size uint8) {
		start := make(chan struct{})
		c := link.NewClient(&scriptedConn{input: io.MultiReader(
			bytes.NewReader(rawFrame{kind: kindResponse, method: 1, id: 1}.bytes()), silentReader{t.Context()}),
			start: start})
		from := &scriptedStream{bytes.NewReader(said), int(step) + 1}
		bodies := link.NewBodies([]*link.Socket{link.NewSocket(5, from)})
		memory := laneMemory()
		bodies.Share(&link.LaneMemory{Bytes: memory, Empty: func() {}, Free: func() {}})
		socket, _ := bodies.Take(t.Context(), true)
		x, err := c.Begin(t.Context(),
			link.Outgoing{Within: time.Minute, Pause: time.Minute, Bodies: bodies, Socket: socket})
		close(start)
		if err != nil || x.AwaitResponse(t.Context(), nil) != nil || !x.Follows() ||
			x.OpenBody(t.Context(), true) != nil {
			t.Fatal("no exchange:", err)
		}
		got, err := readAll(x, int(size)+1)
		assertBody(t, said, memory, from.input.Len(), got, err)
		x.Close()
	})
}

// silentReader sends nothing and ends with its context.
type silentReader struct{ ctx context.Context }

func (s silentReader) Read([]byte) (int, error) {
	<-s.ctx.Done()
	return 0, io.EOF
}
