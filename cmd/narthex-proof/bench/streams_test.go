package main

import (
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// inPieces is a connection that reads from another reader.
type inPieces struct {
	net.Conn
	from io.Reader
}

// Read returns what the reader has.
func (p inPieces) Read(b []byte) (int, error) { return p.from.Read(b) }

// TestAudienceReads: each update is counted once, wherever a read ends.
func TestAudienceReads(t *testing.T) {
	text := "HTTP/1.1 200 OK\r\n\r\nevent: snapshot\ndata: {}\n\n"
	for range 3 {
		text += fmt.Sprintf("event: update\nid: 1\ndata: {\"at\":%d,\"padding\":\"x\"}\n\n",
			time.Now().Add(-time.Second).UnixNano())
	}
	for name, from := range map[string]io.Reader{
		"whole":     strings.NewReader(text),
		"in halves": iotest.HalfReader(strings.NewReader(text)),
		"in bytes":  iotest.OneByteReader(strings.NewReader(text)),
	} {
		client, server := net.Pipe()
		go func() { _, _ = io.Copy(io.Discard, server) }()
		a := &audience{arrived: make(chan struct{}, 1)}
		begun := make(chan error, 1)
		a.read(inPieces{client, from}, []byte("GET"), []byte("event: snapshot\n"), begun)
		if err := <-begun; err != nil || a.count.Load() != 3 || len(a.took) == 0 || a.took[0] < time.Second {
			t.Errorf("%s: %v, %d updates, %v", name, err, a.count.Load(), a.took)
		}
		client.Close()
		server.Close()
	}
}
