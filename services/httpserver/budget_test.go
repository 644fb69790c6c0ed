package httpserver_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/narthex-platform/narthex/realtime/stream"
	"github.com/narthex-platform/narthex/services/httpserver"
)

const (
	madeRoomLine = "idle connection closed to make room"
	noRoomLine   = "connection refused: too many connections"
	noStreamLine = "stream refused: too many streams"
)

// addressedConn is a pipe with a given remote address.
type addressedConn struct {
	net.Conn
	address net.Addr
}

func (f addressedConn) RemoteAddr() net.Addr { return f.address }

// testClient is a client at an address.
type testClient struct {
	net.Conn
	t      *testing.T
	reader *bufio.Reader
}

func (p *pipeListener) visit(t *testing.T, address string) *testClient {
	client, server := net.Pipe()
	peer := netip.AddrPortFrom(netip.MustParseAddr(address), 1)
	p.dialled <- addressedConn{server, net.TCPAddrFromAddrPort(peer)}
	synctest.Wait()
	return &testClient{client, t, bufio.NewReader(client)}
}

// request sends a request and does not read the response.
func (v *testClient) request(path string) {
	v.t.Helper()
	if _, err := io.WriteString(v, "GET "+path+" HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		v.t.Fatalf("GET %s: %v", path, err)
	}
	synctest.Wait()
}

func (v *testClient) hasResponse() {
	v.t.Helper()
	response, err := http.ReadResponse(v.reader, nil)
	if err != nil {
		v.t.Fatalf("a response was due: %v", err)
	}
	_, _ = io.Copy(io.Discard, response.Body)
	synctest.Wait()
}

// isOpen reports whether the connection is open. The server must not have sent a byte.
func (v *testClient) isOpen() bool {
	v.t.Helper()
	_ = v.SetReadDeadline(time.Now().Add(time.Nanosecond))
	defer func() { _ = v.SetReadDeadline(time.Time{}) }()
	switch b, err := v.reader.ReadByte(); {
	case err == nil:
		v.t.Errorf("the server wrote %q", b)
	case err == io.EOF:
		return false
	}
	return true
}

// assertOpen checks which of the visitors are still connected.
func assertOpen(t *testing.T, what string, visitors []*testClient, open ...bool) {
	t.Helper()
	for i, v := range visitors {
		if got := v.isOpen(); got != open[i] {
			t.Errorf("%s: connection %d open %v, want %v", what, i, got, open[i])
		}
	}
}

// startCrowded serves three handlers: /wait waits until release is closed, /stream is a stream that does the
// same, and every other path responds at once.
func startCrowded(
	t *testing.T, limits httpserver.Limits, proxy func(netip.Addr) bool,
) (s *rawServer, p *pipeListener, release chan struct{}) {
	p, release = newPipeListener(), make(chan struct{})
	s = startRaw(t, httpserver.ListenerConfig{Inherited: p, Proxy: proxy,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/stream" && !stream.ConnectionOf(r.Context()).BeginStream() {
				panic(http.ErrAbortHandler)
			}
			if r.URL.Path != "/" {
				<-release
			}
			write(w, "x")
		})}, limits)
	return s, p, release
}

func TestConnectionsOfOneClient(t *testing.T) {
	for _, r := range []struct {
		name    string
		a, b    string
		same    bool // a and b are one client
		counted bool
	}{
		{"one address", "203.0.113.1", "203.0.113.1", true, true},
		{"two addresses", "203.0.113.1", "203.0.113.2", false, true},
		{"an address in two spellings", "203.0.113.1", "::ffff:203.0.113.1", true, true},
		{"one /64", "2001:db8::1", "2001:db8::ffff:0:0:2", true, true},
		{"two /64", "2001:db8::1", "2001:db8:0:1::1", false, true},
		{"this machine", "127.0.0.1", "127.0.0.1", true, false},
		{"this machine over IPv6", "::1", "::1", true, false},
		{"a trusted proxy", "192.0.2.7", "192.0.2.7", true, false},
	} {
		t.Run(r.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				proxy := func(peer netip.Addr) bool { return peer == netip.MustParseAddr("192.0.2.7") }
				s, p, release := startCrowded(t, httpserver.Limits{PerClient: 2}, proxy)
				visitors := []*testClient{p.visit(t, r.a), p.visit(t, r.a), p.visit(t, r.b)}
				gaveWay := r.same && r.counted
				assertOpen(t, "three at a limit of two", visitors, !gaveWay, true, true)
				if !gaveWay {
					s.check(t, "", "", 0)
					close(release)
					return
				}
				visitors[1].request("/wait")
				visitors[2].request("/wait")
				fourth := p.visit(t, r.b)
				assertOpen(t, "with none idle", append(visitors, fourth), false, true, true, false)
				close(release)
				synctest.Wait()
				visitors[1].hasResponse()
				visitors[2].hasResponse()
				visitors[1].request("/") // its second request protects the older connection
				visitors[1].hasResponse()
				fifth := p.visit(t, r.a)
				assertOpen(t, "with two idle", append(visitors, fifth), false, false, true, true)
				time.Sleep(time.Second) // log lines of one kind are at least a second apart
				var lines []string
				for _, line := range s.logs.All() {
					lines = append(lines, line.Message)
				}
				if len(lines) != 3 || lines[0] != madeRoomLine || lines[1] != noRoomLine || lines[2] != madeRoomLine {
					t.Errorf("logged %q, want %q, %q and %q", lines, madeRoomLine, noRoomLine, madeRoomLine)
				}
			})
		})
	}
}

// TestConnectionsInAll checks the limit of all connections, which also counts those of this machine: a client
// that has sent half a request head is disconnected first.
func TestConnectionsInAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, p, release := startCrowded(t, httpserver.Limits{All: 3}, nil)
		visitors := []*testClient{p.visit(t, "127.0.0.1"), p.visit(t, "203.0.113.1"), p.visit(t, "203.0.113.2")}
		visitors[0].request("/wait")
		_, _ = io.WriteString(visitors[1], "GET / HTT")
		synctest.Wait()
		visitors = append(visitors, p.visit(t, "203.0.113.3"))
		assertOpen(t, "four at a limit of three", visitors, true, false, true, true)
		close(release)
	})
}

// TestStreamsOfOneClient checks that a stream above the limit ends without a response, that the end of a
// stream frees its place, and that other requests are not counted.
func TestStreamsOfOneClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, p, release := startCrowded(t, httpserver.Limits{Streams: 2}, nil)
		var visitors []*testClient
		for range 4 {
			visitors = append(visitors, p.visit(t, "203.0.113.1"))
		}
		for i, path := range []string{"/stream", "/wait", "/stream", "/stream"} {
			visitors[i].request(path)
		}
		assertOpen(t, "three streams at a limit of two", visitors, true, true, true, false)
		other := p.visit(t, "203.0.113.2")
		other.request("/stream")
		assertOpen(t, "another client's stream", []*testClient{other}, true)
		_ = visitors[0].Close() // a pipe reports a close only to a writer
		close(release)
		synctest.Wait()
		visitors[1].hasResponse()
		visitors[2].hasResponse() // its stream has ended, its connection stays
		for _, v := range visitors[1:3] {
			v.request("/stream")
			v.hasResponse()
		}
		time.Sleep(time.Second)
		for _, line := range s.logs.All() {
			if line.Message != noStreamLine {
				t.Errorf("logged %q, want %q alone", line.Message, noStreamLine)
			}
		}
	})
}
