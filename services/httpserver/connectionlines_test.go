package httpserver_test

import (
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/services/httpserver"
)

// counts returns the counts in the log lines of one kind.
func (s *rawServer) counts(message string) (counts []int64) {
	for _, line := range s.logs.FilterMessage(message).All() {
		counts = append(counts, line.ContextMap()["count"].(int64))
	}
	return counts
}

// TestBrokenConnectionsMakeOneLineASecond checks that each kind logs one line per second, with its count.
func TestBrokenConnectionsMakeOneLineASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pipes := newPipeListener()
		s := startRaw(t, httpserver.ListenerConfig{Inherited: pipes}, httpserver.Limits{})
		for range 1000 {
			conn := pipes.dial()
			_, _ = io.WriteString(conn, "hello\r\n\r\n")
			_, _ = io.Copy(io.Discard, conn)
			time.Sleep(time.Millisecond)
		}
		silent := pipes.dial()
		time.Sleep(30 * time.Second)
		_, _ = io.Copy(io.Discard, silent)
		if got := s.counts(refusedLine); len(got) > 3 || sum(got) != 1000 || got[0] != 1 {
			t.Errorf("1,000 refusals in a second: lines with the counts %v, want the first at once and at most one "+
				"a second, 1,000 in all", got)
		}
		if got := s.counts(timeoutLine); len(got) != 1 || got[0] != 1 {
			t.Errorf("one timeout: lines with the counts %v, want one of 1", got)
		}
	})
}

func sum(counts []int64) (all int64) {
	for _, n := range counts {
		all += n
	}
	return all
}

// failing is a listener whose Accept fails for a while.
type failing struct {
	*pipeListener
	failure error
	until   time.Time
}

func (f *failing) Accept() (net.Conn, error) {
	if time.Now().Before(f.until) {
		return nil, &net.OpError{Op: "accept", Net: "tcp", Err: os.NewSyscallError("accept4", f.failure)}
	}
	return f.pipeListener.Accept()
}

// TestFailuresOfAccept checks that accepting is tried again after failures, that they are logged once a
// minute with their count, and that connections are served afterwards.
func TestFailuresOfAccept(t *testing.T) {
	for _, failure := range []error{syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM,
		syscall.ECONNABORTED, syscall.EPERM} {
		t.Run(failure.Error(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				listener := &failing{newPipeListener(), failure, time.Now().Add(150 * time.Second)}
				s := startRaw(t, httpserver.ListenerConfig{Inherited: listener}, httpserver.Limits{})
				conn := listener.dial()
				_, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
				got := make([]byte, len(reply("/|")))
				if _, err := io.ReadFull(conn, got); err != nil || string(got) != reply("/|") {
					t.Errorf("response afterwards %q, want %q; error %v", got, reply("/|"), err)
				}
				time.Sleep(time.Minute)
				counts := s.counts("connections cannot be accepted")
				if len(counts) != 4 || counts[0] != 1 || sum(counts) < 150 || sum(counts) > 170 {
					t.Errorf("150 s of failures: lines with the counts %v, want one at once and one a minute, about one "+
						"failure a second", counts)
				}
			})
		})
	}
}

// TestStopWhileAcceptFails checks that a stop does not wait for the pause.
func TestStopWhileAcceptFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		listener := &failing{newPipeListener(), syscall.EMFILE, time.Now().Add(time.Hour)}
		s := startRaw(t, httpserver.ListenerConfig{Inherited: listener}, httpserver.Limits{})
		time.Sleep(10*time.Second + 10*time.Millisecond)
		start := time.Now()
		_ = s.end()
		if took := time.Since(start); took > 0 {
			t.Errorf("the stop took %v, want none", took)
		}
	})
}

// TestLostListener checks that a lost listener ends the service, so that the process is started again.
func TestLostListener(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		listener := &failing{newPipeListener(), syscall.EBADF, time.Now().Add(time.Hour)}
		s := httpserver.NewListener(httpserver.ListenerConfig{Inherited: listener, Log: zap.NewNop()})
		if err := s.Serve(t.Context()); !errors.Is(err, httpserver.ErrListen) {
			t.Errorf("Serve returned %v, want %v", err, httpserver.ErrListen)
		}
	})
}
