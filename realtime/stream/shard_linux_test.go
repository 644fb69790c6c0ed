package stream

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

// These tests drive a shard by hand. It has no goroutine, so that only the test causes passes and sweeps, and
// its clock is the test's.

// patience bounds every wait for a socket. It passes only when a test fails.
const patience = 20 * time.Second

func newTestShard(t *testing.T) *shard {
	t.Helper()
	w := &Watch{}
	l := NewLog(false, &Counts{})
	s := &shard{log: l, watch: w, wake: make(chan struct{}, 1), place: l.end, at: position{next: Unnumbered}}
	l.shards = append(l.shards, s)
	t.Cleanup(func() {
		s.mu.Lock()
		for _, r := range s.readers {
			s.close(r, Left)
		}
		s.mu.Unlock()
		w.close()
		l.frames.close()
	})
	return s
}

// ownSocket is a connection that consists only of its descriptor.
type ownSocket struct {
	descriptor int
	ended      chan End
}

func (ownSocket) BeginStream() bool { return true }
func (ownSocket) Socket() Socket    { return nil }

func (o ownSocket) EndStream(how End) {
	_ = unix.Close(o.descriptor)
	o.ended <- how
}

// admit opens a stream of the shard that begins with a piece. wanted is the descriptor to use, which must be
// free; -1: any.
func admit(
	t *testing.T, s *shard, wanted int, piece []byte,
) (r *Reader, client net.Conn, ended chan End) {
	t.Helper()
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	if wanted >= 0 && pair[0] != wanted {
		if err := errors.Join(unix.Dup3(pair[0], wanted, unix.O_CLOEXEC), unix.Close(pair[0])); err != nil {
			t.Fatal(err)
		}
		pair[0] = wanted
	}
	if err := unix.SetsockoptInt(pair[0], unix.SOL_SOCKET, unix.SO_SNDBUF, 8<<10); err != nil {
		t.Fatal(err)
	}
	file := os.NewFile(uintptr(pair[1]), "client")
	if client, err = net.FileConn(file); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	_ = file.Close()
	_ = client.SetDeadline(time.Now().Add(patience))
	ended = make(chan End, 2)
	now := time.Now()
	r = &Reader{}
	r.socket, r.shard, r.connection = &descriptor{fd: int32(pair[0])}, s, ownSocket{pair[0], ended}
	r.beats, r.stops = now.Add(deadlines.Heartbeat), now.Add(lifetime())
	s.log.join(r)
	s.log.mu.Lock()
	s.coming++
	s.log.mu.Unlock()
	s.log.counts.Readers.Add(1)
	s.join(r, [][]byte{piece})
	return r, client, ended
}

// addAndPass appends an event and makes the shard write it.
func addAndPass(s *shard, frame []byte, last bool) {
	s.log.add(entry{frame: frame, size: len(frame), next: Unnumbered, last: last})
	s.pass()
}

func endOf(t *testing.T, ended chan End) End {
	t.Helper()
	select {
	case how := <-ended:
		return how
	case <-time.After(patience):
		t.Fatal("the stream goes on, want its end")
		return 0
	}
}

func assertOpen(t *testing.T, what string, ended chan End) {
	t.Helper()
	select {
	case how := <-ended:
		t.Fatalf("%s: the stream ended (%d), want it open", what, how)
	default:
	}
}

func assertNext(t *testing.T, client net.Conn, want string) {
	t.Helper()
	got := make([]byte, len(want))
	if n, err := io.ReadFull(client, got); err != nil || string(got) != want {
		t.Fatalf("received %q, %v, want %q", got[:n], err, want)
	}
}

// As soon as a full socket has room, writing continues, without a pass or a sweep, at the right byte.
func TestFullSocketGoesOn(t *testing.T) {
	s := newTestShard(t)
	want := make([]byte, 512<<10)
	for i := range want {
		want[i] = byte(i ^ i>>8 ^ i>>16)
	}
	begin, half := 3, len(want)/2
	r, client, _ := admit(t, s, -1, bytes.Clone(want[:begin]))
	addAndPass(s, want[begin:half], false)
	s.mu.Lock()
	part := r.rest != nil && len(r.rest[0]) < half-begin
	s.mu.Unlock()
	if !part {
		t.Fatal("the socket took all or nothing, want a part of it")
	}
	addAndPass(s, want[half:], false)
	got := make([]byte, len(want))
	if n, err := io.ReadFull(client, got); err != nil || !bytes.Equal(got, want) {
		t.Errorf("received %d bytes, %v, want all %d as they were written", n, err, len(want))
	}
}

// A reader that does not read until events of its mailbox are dropped gets no event after the gap: its stream
// ends, and it must reconnect. The other reader gets all events.
func TestGapEndsTheStream(t *testing.T) {
	s := newTestShard(t)
	_, slow, ended := admit(t, s, -1, []byte("s"))
	assertNext(t, slow, "s")
	_, quick, _ := admit(t, s, -1, []byte("q"))
	assertNext(t, quick, "q")
	const size = 4 << 10
	frame := func(n int) []byte { return bytes.Repeat([]byte{byte(n)}, size) }
	most := MailboxEvents + MailboxEvents/2
	for n := range most {
		addAndPass(s, frame(n), false)
		assertNext(t, quick, string(frame(n)))
	}
	all, err := io.ReadAll(slow)
	if err != nil {
		t.Errorf("after %d bytes: %v, want the stream's end", len(all), err)
	}
	for i, b := range all {
		if b != byte(i/size) {
			t.Fatalf("byte %d is of event %d, want it of event %d", i, b, i/size)
		}
	}
	if how := endOf(t, ended); how != Cut || s.log.counts.Cut.Load() != 1 || len(all) >= most*size {
		t.Errorf("ended as %d after %d bytes, %d cut, want it cut", how, len(all), s.log.counts.Cut.Load())
	}
}

// A new stream gets the descriptor of one that has ended. Neither a pending event of the old socket nor a
// write of its shard affects the new stream.
func TestDescriptorUsedAgain(t *testing.T) {
	s := newTestShard(t)
	old, client, ended := admit(t, s, -1, []byte("old"))
	assertNext(t, client, "old")
	_ = client.Close()
	if how := endOf(t, ended); how != Left {
		t.Fatalf("ended as %d, want %d", how, Left)
	}
	was := old.socket.(*descriptor)
	fresh, client, ended := admit(t, s, int(was.fd), []byte("new"))
	assertNext(t, client, "new")
	if r := s.watch.reader(was.fd, was.serial); r != nil {
		t.Error("an event of the old socket finds a reader, want none")
	}
	s.ready(old, true)
	s.mu.Lock()
	s.close(old, Cut)
	s.mu.Unlock()
	assertOpen(t, "after events of the old one", ended)
	is := fresh.socket.(*descriptor)
	if r := s.watch.reader(is.fd, is.serial); r != fresh {
		t.Error("an event of the new socket finds another reader")
	}
	old.next, old.beats, old.stops = s.place, time.Time{}, time.Now().Add(lifetime())
	addAndPass(s, []byte("one"), false)
	old.next = s.place
	s.sweep(time.Now())
	addAndPass(s, []byte("two"), true)
	rest, err := io.ReadAll(client)
	if err != nil || string(rest) != "onetwo" {
		t.Errorf("the new one received %q, %v, want each event once", rest, err)
	}
	if how := endOf(t, ended); how != Finished {
		t.Errorf("ended as %d, want %d", how, Finished)
	}
}

// A full log waits for its shard before it drops entries that the shard has not taken. So a reader that keeps
// up loses nothing.
func TestLogWaitsForItsShard(t *testing.T) {
	s := newTestShard(t)
	l := s.log
	added := make(chan struct{})
	go func() {
		defer close(added)
		for range 3 * MailboxEvents {
			l.add(entry{frame: []byte("x"), size: 1, next: Unnumbered})
		}
	}()
	for {
		l.mu.Lock()
		full, fallen := l.updates > MailboxEvents, l.fallen(s.place)
		l.mu.Unlock()
		if fallen {
			t.Error("what the shard has not taken was dropped")
			<-added
			return
		}
		if full {
			s.pass()
		}
		select {
		case <-added:
			return
		default:
			runtime.Gosched()
		}
	}
}

// A sweep ends a stream whose socket accepts nothing: after deadlines.Reader, and after deadlines.Hubs if the
// stream should end. It does not end it earlier.
func TestSweepEnds(t *testing.T) {
	for _, c := range []struct {
		name  string
		limit time.Duration
		how   End
		begin func(s *shard, r *Reader)
	}{
		{"stalled", deadlines.Reader, Stalled, func(*shard, *Reader) {}},
		{"finished", deadlines.Hubs, Cut, func(s *shard, _ *Reader) { s.log.finish() }},
		{"old", deadlines.Hubs, Cut, func(_ *shard, r *Reader) { r.stops = time.Now() }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newTestShard(t)
			r, _, ended := admit(t, s, -1, make([]byte, 512<<10))
			c.begin(s, r)
			from := time.Now()
			s.sweep(from.Add(c.limit - time.Second))
			assertOpen(t, "before its time", ended)
			s.sweep(from.Add(c.limit + time.Second))
			if how := endOf(t, ended); how != c.how {
				t.Errorf("ended as %d, want %d", how, c.how)
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			if len(s.readers) != 0 || s.log.Readers() != 0 || s.log.counts.Readers.Load() != 0 {
				t.Error("the reader is still counted")
			}
		})
	}
}
