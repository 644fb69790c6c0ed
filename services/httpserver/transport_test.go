package httpserver_test

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/services/httpserver"
)

// headOf returns the head of a request of exactly size bytes.
func headOf(size int) string {
	const around = "GET /big HTTP/1.1\r\nHost: x\r\nA: \r\n\r\n"
	return strings.Replace(around, "A: ", "A: "+strings.Repeat("x", size-len(around)), 1)
}

// TestTransport sends bytes and compares, byte for byte, what the server sends before it closes the
// connection.
func TestTransport(t *testing.T) {
	const (
		post    = "POST /p HTTP/1.1\r\nHost: x\r\n"
		chunked = post + "Transfer-Encoding: chunked\r\n\r\n"
		next    = "GET /next HTTP/1.1\r\nHost: x\r\n\r\n"
	)
	cookies := "Cookie: a=" + strings.Repeat("x", 17<<10) + "\r\n\r\n"
	none := []string(nil)
	refused := []string{refusedLine}
	for _, r := range []struct {
		name, send, want string
		runs             int32
		lines            []string
	}{
		{"a request", next, reply("/next|"), 1, none},
		{"pipelined, in order", post + "Content-Length: 3\r\n\r\nabc" + next + chunked + "2\r\nhi\r\n0\r\n\r\n" +
			next,
			reply("/p|abc") + reply("/next|") + reply("/p|hi") + reply("/next|"), 4, none},
		{"pipelined behind a refusal", next + "garbage\r\n\r\n" + next, reply("/next|") + badRequest, 1, refused},
		{"empty lines behind a POST", post + "Content-Length: 3\r\n\r\nabc\r\n" + next,
			reply("/p|abc") + reply("/next|"), 2, none},
		{"a coding in lower case", post + "transfer-encoding: Chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n" + next,
			reply("/p|hi") + reply("/next|"), 2, none},
		{"a chunk extension and a trailer", chunked + "2;a=b\r\nhi\r\n0\r\nA: b\r\n\r\n" + next,
			reply("/p|hi") + reply("/next|"), 2, none},

		{"a head of 16 KiB", headOf(16 << 10), reply("/big|"), 1, none},
		{"a head of 16 KiB and a byte", headOf(16<<10 + 1), headSize, 0, refused},
		{"a head of 17 KiB", headOf(17 << 10), headSize, 0, refused},
		{"a head of 64 KiB", headOf(64 << 10), headSize, 0, refused},
		{"a second head of 17 KiB", next + headOf(17<<10), reply("/next|") + headSize, 1, refused},
		{"a long request line", "GET /" + strings.Repeat("x", 17<<10) + " HTTP/1.1\r\nHost: x\r\n\r\n", headSize, 0,
			refused},
		{"a page with cookies of 17 KiB", "GET / HTTP/1.1\r\nHost: x\r\naccept: text/html,*/*;q=0.8\r\n" + cookies,
			httpserver.PageHeadSize, 0, refused},
		{"a second page with cookies of 17 KiB", next + "GET / HTTP/1.1\r\nHost: x\r\nAccept: text/html\r\n" +
			cookies, reply("/next|") + httpserver.PageHeadSize, 1, refused},
		{"a request of JSON with cookies of 17 KiB", "GET / HTTP/1.1\r\nHost: x\r\nAccept: application/json\r\n" +
			cookies, headSize, 0, refused},
		{"a form with cookies of 17 KiB", post + "Accept: text/html\r\n" + cookies, headSize, 0, refused},
		{"cookies of 17 KiB behind a page", "GET /p HTTP/1.1\r\nHost: x\r\nAccept: text/html\r\n\r\n" +
			"GET /p HTTP/1.1\r\nHost: x\r\n" + cookies, reply("/p|") + headSize, 1, refused},
		{"many small fields", "GET / HTTP/1.1\r\nHost: x\r\n" + strings.Repeat("A: b\r\n", 3000) + "\r\n", headSize,
			0, refused},

		{"garbage", "hello\r\n\r\n", badRequest, 0, refused},
		{"bytes of TLS", "\x16\x03\x01\x02\x00\x01\x00\n\r\n", badRequest, 0, refused},
		{"empty lines before each request", "\r\n\n" + next + "\r\n" + strings.Repeat("\r\n", 3000) + next,
			reply("/next|") + reply("/next|"), 2, none},
		{"a bare carriage return before a request", "\r" + next, badRequest, 0, refused},
		{"bare line feeds", "GET /lf HTTP/1.1\nHost: x\n\n" + next, reply("/lf|") + reply("/next|"), 2, none},
		{"a folded field", "GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n", badRequest, 0, refused},
		{"a length in a fold", post + "Content-Length:\r\n 3\r\n\r\nabc", badRequest, 0, refused},
		{"no Host", "GET / HTTP/1.1\r\n\r\n", badRequest, 0, refused},
		{"two Hosts", "GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", badRequest, 0, refused},
		{"a bad Host", "GET / HTTP/1.1\r\nHost: x y\r\n\r\n", badRequest, 0, refused},
		{"a space before the colon", post + "Content-Length : 3\r\n\r\nabc", badRequest, 0, refused},
		{"absolute form", "GET http://y/abs HTTP/1.1\r\nHost: x\r\n\r\n", reply("/abs|"), 1, none},
		{"OPTIONS *", "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", reply("*|"), 1, none},
		{"HTTP/1.0", "GET /old HTTP/1.0\r\n\r\n", "HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\n/old|", 1, none},
		{"HTTP/1.2", "GET /minor HTTP/1.2\r\nHost: x\r\n\r\n", reply("/minor|"), 1, none},
		{"HTTP/3.0", "GET / HTTP/3.0\r\nHost: x\r\n\r\n", badRequest, 0, refused},
		{"the HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", badRequest, 0, refused},
		{"an upgrade to h2c", "GET /up HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: " +
			"h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n", reply("/up|"), 1, none},
		{"an unknown Expect", post + "Expect: more\r\nContent-Length: 3\r\n\r\nabc", badRequest, 0, refused},
		{"Expect: 100-continue", post + "Expect: 100-continue\r\nContent-Length: 3\r\n\r\nabc",
			"HTTP/1.1 100 Continue\r\n\r\n" + reply("/p|abc"), 1, none},

		{"two lengths, equal", post + "Content-Length: 3\r\ncontent-length: 3\r\n\r\nabc" + next,
			reply("/p|abc") + reply("/next|"), 2, none},
		{"two lengths, different", post + "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd", badRequest, 0,
			refused},
		{"a length behind many spaces", post + "Content-Length:" + strings.Repeat(" ", 80) + "3\r\n\r\nabc",
			reply("/p|abc"), 1, none},
		{"a length behind many zeros", post + "Content-Length: " + strings.Repeat("0", 80) + "3\r\n\r\nabc",
			reply("/p|abc"), 1, none},
		{"a list of lengths", post + "Content-Length: 3, 3\r\n\r\nabc", badRequest, 0, refused},
		{"a signed length", post + "Content-Length: +3\r\n\r\nabc", badRequest, 0, refused},
		{"a length out of bounds", post + "Content-Length: 99999999999999999999\r\n\r\n", badRequest, 0, refused},
		{"length and coding", post + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + next,
			badRequest, 0, refused},
		{"coding and length", post + "transfer-encoding: chunked\r\nCONTENT-LENGTH: 0\r\n\r\n0\r\n\r\n" + next,
			badRequest, 0, refused},
		{"length and an empty coding", post + "Content-Length: 3\r\nTransfer-Encoding:\r\n\r\nabc", badRequest, 0,
			refused},
		{"an unknown coding", post + "Transfer-Encoding: gzip\r\n\r\nabc", badRequest, 0, refused},
		{"two codings", post + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", badRequest, 0, refused},
		{"one coding twice", post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
			badRequest, 0, refused},
		{"a coding in HTTP/1.0", "POST / HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: " +
			"chunked\r\n\r\n0\r\n\r\n" + next, badRequest, 0, refused},

		{"no chunk size", chunked + "zz\r\n", badRequest, 0, refused},
		{"a chunk longer than its size", chunked + "2\r\nabc\r\n0\r\n\r\n" + next, badRequest, 0, refused},
		{"a bare line feed behind a chunk size", chunked + "2\nab\r\n0\r\n\r\n" + next, badRequest, 0, refused},
		{"a bare line feed behind a chunk", chunked + "2\r\nab\n0\r\n\r\n" + next, badRequest, 0, refused},
		{"another byte behind a chunk", chunked + "2\r\nabx\n0\r\n\r\n" + next, badRequest, 0, refused},
		{"a bare line feed behind a trailer", chunked + "0\r\nA: b\n\r\n" + next, badRequest, 0, refused},
		{"a trailer without a colon", chunked + "0\r\nmalformed\r\n\r\n", badRequest, 0, refused},
		{"a trailer without a name", chunked + "0\r\n: b\r\n\r\n", badRequest, 0, refused},
		{"a space before a trailer's colon", chunked + "0\r\nA : b\r\n\r\n", badRequest, 0, refused},
		{"a folded trailer", chunked + "0\r\nA: b\r\n c\r\n\r\n", badRequest, 0, refused},
		{"a control in a trailer", chunked + "0\r\nA: \x00\r\n\r\n", badRequest, 0, refused},
		{"trailers of 4 KiB", chunked + "0\r\nA: " + strings.Repeat("x", 4096-7) + "\r\n\r\n", reply("/p|"), 1,
			none},
		{"trailers of 4 KiB and a byte", chunked + "0\r\nA: " + strings.Repeat("x", 4096-6) + "\r\n\r\n",
			badRequest, 0, refused},
		{"a word behind a chunk size", chunked + "2 x\r\nab\r\n0\r\n\r\n", badRequest, 0, refused},
		{"an extension behind a space", chunked + "2 ;x\r\nab\r\n0\r\n\r\n", badRequest, 0, refused},
		{"spaces behind a chunk size", chunked + "2 \t \r\nab\r\n0\r\n\r\n", reply("/p|ab"), 1, none},
		{"a long chunk extension", chunked + "2;" + strings.Repeat("x", 4094-2) + "\r\nab\r\n0\r\n\r\n",
			reply("/p|ab"), 1, none},
		{"a chunk extension too long", chunked + "2;" + strings.Repeat("x", 4094-1) + "\r\nab\r\n0\r\n\r\n",
			badRequest, 0, refused},
		{"more extensions than data", chunked + strings.Repeat("1;"+strings.Repeat("x", 4000)+"\r\na\r\n", 6) +
			"0\r\n\r\n", badRequest, 0, refused},
		{"an endless chunk size", chunked + "00000000000000002\r\nab\r\n0\r\n\r\n", badRequest, 0, refused},
	} {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			s := startRaw(t, httpserver.ListenerConfig{}, httpserver.Limits{Idle: 300 * time.Millisecond})
			conn := s.dial(t)
			go func() { _, _ = io.WriteString(conn, r.send) }() // the server may close before it has read all
			got, err := io.ReadAll(conn)
			if err != nil {
				t.Error(err)
			}
			if s.runs.Load() <= 1 && r.want == badRequest {
				r.runs = s.runs.Load() // a body may become invalid before or while its handler runs
			}
			s.check(t, string(got), r.want, r.runs, r.lines...)
		})
	}
}

// TestPeerStopsSending closes the sending half at every point of a request.
func TestPeerStopsSending(t *testing.T) {
	const request = "POST /p HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"
	body := strings.Index(request, "abc")
	for cut := range len(request) + 1 {
		t.Run(fmt.Sprint(cut), func(t *testing.T) {
			t.Parallel()
			s := startRaw(t, httpserver.ListenerConfig{}, httpserver.Limits{})
			conn := s.dial(t)
			_, _ = io.WriteString(conn, request[:cut])
			_ = conn.CloseWrite()
			got, err := io.ReadAll(conn)
			if err != nil {
				t.Error(err)
			}
			switch {
			case cut == 0:
				s.check(t, string(got), "", 0)
			case cut < body:
				s.check(t, string(got), badRequest, 0, refusedLine)
			case cut < len(request): // an ordinary failed request, not a 413
				if !strings.HasSuffix(string(got), "the handler's own answer\n") {
					t.Errorf("response %q, want the handler's own", got)
				}
				s.check(t, "", "", 1)
			default:
				s.check(t, string(got), reply("/p|abc"), 1)
			}
		})
	}
}
