package httpserver_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"go.uber.org/zap"
	"golang.org/x/sys/unix"

	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/httpserver"
)

// startJoined serves bodies of {size} bytes, whose heads are sent together with them.
func startJoined(t *testing.T) *rawServer {
	t.Helper()
	handler, err := httpserver.New(httpserver.Config{
		Routes: []httpapi.Route{{Method: "GET", Path: "/{size}", Head: true,
			Handle: func(c *httpapi.Call) error {
				size, _ := strconv.Atoi(c.Parameter("size"))
				c.Writer.Header().Set("Content-Length", strconv.Itoa(size))
				c.Join(size)
				_, err := c.Writer.Write(bytes.Repeat([]byte("x"), size))
				return err
			}}},
		ClientAddress: direct(), Log: zap.NewNop(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return startRaw(t, httpserver.ListenerConfig{Handler: handler}, httpserver.Limits{})
}

// TestJoinedHead checks that head and body arrive in one packet and complete, for all sizes, with several
// requests on one connection.
func TestJoinedHead(t *testing.T) {
	s := startJoined(t)
	for _, method := range []string{"GET", "HEAD"} {
		for _, size := range []int{1, 3 << 10, 4 << 10, 8 << 10, 8<<10 + 1, 20_000, 48 << 10} {
			conn := s.dial(t)
			reader := bufio.NewReader(conn)
			const requests = 3
			for range requests {
				_, _ = fmt.Fprintf(conn, "%s /%d HTTP/1.1\r\nHost: x\r\n\r\n", method, size)
				response, err := http.ReadResponse(reader, &http.Request{Method: method})
				if err != nil {
					t.Fatalf("%s of %d bytes: error %v, want none", method, size, err)
				}
				body, err := io.ReadAll(response.Body)
				if want := strings.Repeat("x", size); err != nil || method == "GET" && string(body) != want {
					t.Errorf("%s of %d bytes: %d bytes, error %v; want all and none", method, size, len(body), err)
				}
			}
			if got := packets(t, conn); 8<<10 < size && size <= 20_000 && got != requests {
				t.Errorf("%s of %d bytes: %d packets, want %d (a longer one takes several)", method, size, got, requests)
			}
			_ = conn.Close()
		}
	}
}

// TestJoinedHeadAtAnySize checks that head and body are sent completely for every length, also when
// net/http's buffer is exactly full or almost full.
func TestJoinedHeadAtAnySize(t *testing.T) {
	s := startJoined(t)
	conn := s.dial(t)
	reader := bufio.NewReader(conn)
	for _, around := range []int{4 << 10, 8 << 10, 12 << 10} {
		for size := around - 400; size < around+40; size++ {
			_, _ = fmt.Fprintf(conn, "GET /%d HTTP/1.1\r\nHost: x\r\n\r\n", size)
			response, err := http.ReadResponse(reader, nil)
			if err != nil {
				t.Fatalf("%d bytes: error %v, want none", size, err)
			}
			if n, err := io.Copy(io.Discard, response.Body); err != nil || n != int64(size) {
				t.Fatalf("%d bytes: %d came, error %v", size, n, err)
			}
		}
	}
}

// packets returns how many packets with data this end has received.
func packets(t *testing.T, conn *net.TCPConn) (count int) {
	t.Helper()
	raw, err := conn.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	_ = raw.Control(func(fd uintptr) {
		info, failed := unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO)
		if err = failed; failed == nil {
			count = int(info.Data_segs_in)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return count
}
