package httpserver_test

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"slices"
	"testing"

	"github.com/narthex-platform/narthex/services/httpserver"
)

// FuzzFraming compares framing with net/http. When both accept a request's head with the same framing, both
// must accept its body and end it at the same byte. Every other request must be refused before a handler
// runs. The result must be the same for every division of the bytes into pieces.
func FuzzFraming(f *testing.F) {
	const post = "POST / HTTP/1.1\r\nHost: x\r\n"
	for _, seed := range []string{
		"GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n",
		post + "Content-Length: 3\r\n\r\nabcGET / HTTP/1.1\nHost: x\n\n",
		post + "content-length:03 \r\nContent-Length: 3\r\n\r\nabcGET / HTTP/1.1\r\nHost: x\r\n\r\n",
		post + "Transfer-Encoding: chunked\r\n\r\n2;a=b\r\nhi\r\n0\r\nA: b\r\n\r\nGET / HTTP/1.1\r\nHost: " +
			"x\r\n\r\n",
		post + "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n",
		post + "X: y\r\n Content-Length: 3\r\n\r\nabc",
		post + "Transfer-Encoding: chunked\r\n\r\n2 \r\nhi\r\n0\r\nmalformed\r\n\r\nGET / HTTP/1.1\r\nHost: " +
			"x\r\n\r\n",
		"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
	} {
		f.Add([]byte(seed), 3)
	}
	f.Fuzz(func(t *testing.T, stream []byte, piece int) {
		ours := httpserver.Follow(stream, max(len(stream), 1))
		if piece > 0 && !slices.Equal(ours, httpserver.Follow(stream, piece)) {
			t.Fatal("the pieces make a difference")
		}
		reader := bytes.NewReader(stream)
		buffer := bufio.NewReader(reader)
		for _, our := range ours {
			skipEmptyLines(buffer)
			request, err := http.ReadRequest(buffer)
			if err != nil || our.Coded != (request.TransferEncoding != nil) || !our.Coded &&
				our.Length != request.ContentLength {
				return
			}
			if _, err := io.Copy(io.Discard, request.Body); err != nil {
				t.Fatalf("net/http refuses a body that was taken: %v", err)
			}
			if end := len(stream) - reader.Len() - buffer.Buffered(); end != our.End {
				t.Fatalf("a request ends at %d, want %d as net/http has it", our.End, end)
			}
		}
	})
}

// skipEmptyLines skips the empty lines that the platform never passes to net/http.
func skipEmptyLines(buffer *bufio.Reader) {
	for {
		if b, err := buffer.Peek(1); err != nil || b[0] != '\r' && b[0] != '\n' {
			return
		}
		_, _ = buffer.Discard(1)
	}
}
