package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// get returns a GET request that load can send. header is a whole header line without its end, or empty.
func get(path, header string) []byte {
	if header != "" {
		header += "\r\n"
	}
	return []byte("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n" + header + "\r\n")
}

// post returns a request with a body of size bytes and an Origin header.
func post(path, header, origin string, size int) []byte {
	head := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: localhost\r\n%s\r\nOrigin: %s\r\nContent-Length: %d\r\n\r\n",
		path, header, origin, size)
	return append([]byte(head), make([]byte, size)...)
}

// traffic is what load sends: one request for each connection, again and again. All responses must have the
// same length.
type traffic struct {
	requests [][]byte
	// every is the time between two requests on a connection; 0 means that the next one is sent as soon as
	// the response has arrived.
	every  time.Duration
	status string // status is how each response begins; empty means 200.
	// varies means that the lengths differ, and that each response declares its own.
	varies bool
}

// load sends traffic over kept-alive connections for a while and returns the duration of each response. It
// implements HTTP itself, because a real client uses more processor time than the measured servers.
func load(ctx context.Context, address string, sent traffic, length time.Duration) ([]time.Duration, error) {
	size, err := answerSize(ctx, address, sent.requests[0])
	if err != nil {
		return nil, err
	}
	var (
		clients sync.WaitGroup
		mu      sync.Mutex
		all     []time.Duration
		failure error
	)
	until := time.Now().Add(length)
	for i, request := range sent.requests {
		clients.Go(func() {
			// spread the first requests over the interval
			if err := wait(ctx, sent.every*time.Duration(i)/time.Duration(len(sent.requests))); err != nil {
				return
			}
			times, err := client(ctx, address, request, size, sent, until)
			mu.Lock()
			defer mu.Unlock()
			all = append(all, times...)
			failure = errors.Join(failure, err)
		})
	}
	clients.Wait()
	return all, failure
}

func client(
	ctx context.Context, address string, request []byte, size int, sent traffic, until time.Time,
) (times []time.Duration, err error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	expected := sent.status
	if expected == "" {
		expected = "HTTP/1.1 200 OK"
	}
	body := make([]byte, 256<<10) // reused for the parts of a longer response
	for now := time.Now(); now.Before(until) && ctx.Err() == nil; {
		if _, err := conn.Write(request); err != nil {
			return times, err
		}
		receive := receiveFixed
		if sent.varies {
			receive = receiveDeclared
		}
		if err := receive(conn, body, size, expected); err != nil {
			return times, err
		}
		after := time.Now()
		times = append(times, after.Sub(now))
		if err := wait(ctx, sent.every-after.Sub(now)); err != nil {
			return times, err
		}
		now = time.Now()
	}
	return times, nil
}

// receiveFixed reads a response of size bytes through a buffer.
func receiveFixed(conn io.Reader, buffer []byte, size int, expected string) error {
	for left := size; left > 0; left -= len(buffer) {
		if _, err := io.ReadFull(conn, buffer[:min(left, len(buffer))]); err != nil {
			return err
		}
		if left == size && !bytes.HasPrefix(buffer, []byte(expected)) {
			return fmt.Errorf("answered %.40q", buffer)
		}
	}
	return nil
}

// receiveDeclared reads a response that declares the length of its body.
func receiveDeclared(conn io.Reader, buffer []byte, _ int, expected string) error {
	read, head := 0, -1
	for head < 0 {
		n, err := conn.Read(buffer[read:])
		if err != nil {
			return err
		}
		read += n
		head = bytes.Index(buffer[:read], []byte("\r\n\r\n"))
	}
	if !bytes.HasPrefix(buffer, []byte(expected)) {
		return fmt.Errorf("answered %.40q", buffer)
	}
	_, rest, _ := bytes.Cut(buffer[:head+2], []byte("\r\nContent-Length: "))
	digits, _, _ := bytes.Cut(rest, []byte("\r\n"))
	length, err := strconv.Atoi(string(digits))
	if err != nil {
		return err
	}
	_, err = io.CopyN(io.Discard, conn, int64(head+len("\r\n\r\n")+length-read))
	return err
}

func wait(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// answerSize returns the length of the whole response. It is the same each time, because headers that change
// keep their length.
func answerSize(ctx context.Context, address string, request []byte) (int, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	if _, err := conn.Write(request); err != nil {
		return 0, err
	}
	counted := &counter{from: conn}
	reader := bufio.NewReader(counted)
	response, err := http.ReadResponse(reader, nil)
	if err != nil {
		return 0, err
	}
	_, err = io.Copy(io.Discard, response.Body)
	return counted.bytes - reader.Buffered(), errors.Join(err, response.Body.Close())
}

type counter struct {
	from  io.Reader
	bytes int
}

// Read counts the bytes.
func (c *counter) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	c.bytes += n
	return n, err
}

// holdSlowHeaders opens connections that send a header byte by byte and never end it. stop closes them.
func holdSlowHeaders(ctx context.Context, address string, connections int) (stop func(), err error) {
	ctx, cancel := context.WithCancel(ctx)
	var senders sync.WaitGroup
	stop = func() { cancel(); senders.Wait() }
	for range connections {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
		if err != nil {
			stop()
			return nil, err
		}
		senders.Go(func() {
			defer conn.Close()
			tick := time.NewTicker(200 * time.Millisecond)
			defer tick.Stop()
			for _, b := range []byte("GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: " + strings.Repeat("x", 1000)) {
				if _, err := conn.Write([]byte{b}); err != nil {
					return
				}
				select {
				case <-tick.C:
				case <-ctx.Done():
					return
				}
			}
		})
	}
	return stop, nil
}
