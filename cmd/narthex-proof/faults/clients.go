package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// clientFaults are faults of browsers, screens and other clients. Meanwhile all other clients must be served.
func clientFaults() []fault {
	return []fault{
		{name: "clients/slow-headers", done: "200 connections send their headers a byte at a time, without end",
			expected: "408 to each at 20 s, and the connection is closed", run: func(c *check) {
				c.slowClients("GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ", 200)
			}},
		{name: "clients/silent", done: "200 connections send nothing",
			expected: "408 to each at 20 s, and the connection is closed",
			run:      func(c *check) { c.slowClients("", 200) }},
		{name: "clients/slow-bodies", done: "200 connections send a body a byte at a time",
			expected: "408 to each at 30 s, and the connection is closed", run: func(c *check) {
				c.slowClients("POST /api/auth/sign-in/email HTTP/1.1\r\nHost: localhost\r\nOrigin: "+c.address+
					"\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n", 200)
			}},
		{name: "clients/gone", place: placeOptions{wild: []string{"wild"}}, run: goneClients,
			done: "500 clients reset their connection in the middle of a request; another one waits for a handler",
			expected: "nothing of them is left, and their handlers end, while the other one waits; others notice " +
				"nothing"},
		{name: "clients/unread-answers", place: placeOptions{wild: []string{"wild"}}, run: unreadAnswers,
			done:     "20 clients ask for an endless response and read nothing",
			expected: "they are closed after 20 s, the log says \"client did not read its response\""},
		{name: "clients/silent-readers", run: silentReaders,
			done:     "20 readers of a channel read nothing while it carries more than they can hold",
			expected: "they alone are disconnected; a reader beside them gets on"},
		{name: "clients/screens", done: "5,000 screens whose module is killed, and who all come back at once",
			expected: "each gets a reconnect, and on its return a snapshot or a refusal it knows; others are served",
			run:      manyScreens},
	}
}

// slowClients opens connections that begin with a text and continue with a byte every 200 ms, and waits for
// their responses. Without a text they send nothing.
func (c *check) slowClients(begin string, number int) {
	c.watch(c.owner(), usualPaths()...)
	c.awaitTimeouts(begin, number)
}

// awaitTimeouts is slowClients without bystanders.
func (c *check) awaitTimeouts(begin string, number int) {
	const timedOut = "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n"
	var clients sync.WaitGroup
	var refused atomic.Int64
	began := time.Now()
	for range number {
		clients.Go(func() {
			got, err := c.slowClient(begin)
			if got != timedOut {
				c.wrong("a slow client got %.60q, %v; want 408", got, err)
				return
			}
			refused.Add(1)
		})
	}
	clients.Wait()
	c.saw("%d of %d got 408 within %.0f s", refused.Load(), number, time.Since(began).Seconds())
}

func (c *check) slowClient(begin string) (got string, err error) {
	conn, err := c.dial()
	if err != nil {
		return "", err
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(patience))
	stop := make(chan struct{})
	var sending sync.WaitGroup
	if begin != "" {
		sending.Go(func() {
			if _, err := io.WriteString(conn, begin); err != nil {
				return
			}
			for {
				select {
				case <-stop:
					return
				case <-time.After(200 * time.Millisecond):
				}
				if _, err := conn.Write([]byte("x")); err != nil {
					return
				}
			}
		})
	}
	text, err := io.ReadAll(conn)
	close(stop)
	_ = conn.Close()
	sending.Wait()
	return string(text), err
}

// dial opens a connection to the daemon.
func (p *place) dial() (net.Conn, error) {
	return net.DialTimeout("tcp4", strings.TrimPrefix(strings.Replace(p.address, "localhost", "127.0.0.1", 1),
		"http://"), 30*time.Second)
}

func goneClients(c *check) {
	owner := c.owner()
	c.watch(owner, usualPaths()...)
	const (
		calls   = `narthex_module_requests_in_flight{module="wild"}`
		readers = `narthex_realtime_readers{channel="notes",module="board"}`
	)
	waiting := c.as(owner)
	stays := make(chan response, 1)
	go func() { stays <- waiting.do("GET", wildRoot+"/hold", nil) }()
	c.eventually("a client waits", func() bool { return c.metric(c.ctx, calls) == 1 })
	before, descriptors := c.metric(c.ctx, "go_goroutines"), openDescriptors(c.daemon.pid())
	requests := []string{
		"GET /api/v1/module-realtime/board/notes HTTP/1.1\r\nHost: localhost\r\nCookie: " + owner.cookie +
			"\r\n\r\n",
		"POST /api/v1/modules/base/echo HTTP/1.1\r\nHost: localhost\r\nOrigin: " + c.address + "\r\nCookie: " +
			owner.cookie + "\r\nContent-Length: 500000\r\n\r\nhalf of it",
		"GET /api/v1/principal HTTP/1.1\r\nHost: localhost\r\nCookie: " + owner.cookie + "\r\n\r\n",
		"GET " + wildRoot + "/hold HTTP/1.1\r\nHost: localhost\r\nCookie: " + owner.cookie + "\r\n\r\n",
		"GET / HT",
	}
	var clients sync.WaitGroup
	for n := range 500 {
		clients.Go(func() {
			conn, err := c.dial()
			if err != nil {
				c.wrong("a connection: %v", err)
				return
			}
			_, _ = io.WriteString(conn, requests[n%len(requests)])
			pause(c.ctx, time.Duration(n%50)*time.Millisecond)
			reset(conn)
		})
	}
	clients.Wait()
	after, left := 0.0, 0
	gone := func() bool {
		after, left = c.metric(c.ctx, "go_goroutines"), openDescriptors(c.daemon.pid())
		return c.metric(c.ctx, calls) == 1 && c.metric(c.ctx, readers) == 0 && after <= before+20 &&
			left <= descriptors+20
	}
	for !gone() { // what ends by its deadline ends no sooner than the call of the client who waits
		select {
		case got := <-stays:
			c.fatal("the client who waits got %v; of the others there are %.0f calls and %.0f readers, %.0f "+
				"goroutines (%.0f before), %d descriptors (%d before)", got, c.metric(c.ctx, calls),
				c.metric(c.ctx, readers), after, before, left, descriptors)
		case <-time.After(10 * time.Millisecond):
		}
	}
	c.saw("%.0f goroutines before, %.0f afterwards; the handlers ended while the other client waited", before,
		after)
	if got := <-stays; !isAllowedOfModule(got) {
		c.wrong("the client who waits: %v, want a response at the deadline of handlers", got)
	}
}

func unreadAnswers(c *check) {
	owner := c.owner()
	c.watch(owner, usualPaths()...)
	began := time.Now()
	var clients []net.Conn
	for range 20 {
		conn, err := c.dial()
		c.ok(err, "a connection")
		defer conn.Close()
		_, err = io.WriteString(conn, "GET "+wildRoot+"/endless HTTP/1.1\r\nHost: localhost\r\nCookie: "+
			owner.cookie+"\r\n\r\n")
		c.ok(err, "a request")
		clients = append(clients, conn)
	}
	const stalled = `narthex_http_refusals_total{cause="stalled"}`
	c.eventually("all are closed", func() bool { return c.metric(c.ctx, stalled) >= 20 })
	if !strings.Contains(c.daemon.log.String(), "client did not read its response") {
		c.wrong("the log does not say \"client did not read its response\"")
	}
	c.saw("all were closed after %.0f s", time.Since(began).Seconds())
	for _, conn := range clients { // what was sent before is still in the kernel's buffers
		_ = conn.SetReadDeadline(time.Now().Add(patience))
		if _, err := io.Copy(io.Discard, conn); errors.Is(err, os.ErrDeadlineExceeded) {
			c.wrong("a connection is still open: %v", err)
		}
	}
	if got := owner.do("GET", wildRoot+"/plain", nil); got.status != 200 {
		c.wrong("the module afterwards: %v", got)
	}
}

func silentReaders(c *check) {
	owner := c.owner()
	c.watch(owner, usualPaths()...)
	const channel = "/api/v1/module-realtime/glutton/c.aa"
	beside, err := owner.subscribe(c.ctx, channel)
	c.ok(err, "a reader")
	defer beside.close()
	var received atomic.Int64
	var reading sync.WaitGroup
	reading.Go(func() {
		for _, _, err := beside.next(); err == nil; _, _, err = beside.next() {
			received.Add(1)
		}
	})
	defer reading.Wait()
	defer beside.close()
	for range 20 {
		conn, err := c.dial()
		c.ok(err, "a connection")
		defer conn.Close()
		_ = conn.(*net.TCPConn).SetReadBuffer(4096)
		_, err = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: localhost\r\nCookie: %s\r\n\r\n", channel,
			owner.cookie)
		c.ok(err, "a request")
		line, err := bufio.NewReaderSize(conn, 64).ReadString('\n')
		if err != nil || !strings.Contains(line, "200") {
			c.fatal("a silent reader: %q, %v", line, err)
		}
	}
	const cut = `narthex_realtime_readers_cut_total{channel="c.aa",module="glutton"}`
	c.eventually("the silent readers are disconnected", func() bool {
		owner.do("GET", "/api/v1/modules/glutton/tell", nil)
		return c.metric(c.ctx, cut) >= 20
	})
	before := received.Load()
	owner.do("GET", "/api/v1/modules/glutton/tell", nil)
	c.saw("%.0f readers were disconnected; the reader beside them had %d updates by then, then %d more",
		c.metric(c.ctx, cut), before, received.Load()-before)
	if received.Load() == before {
		c.wrong("the reader beside them gets nothing")
	}
}

// screenCount is how many screens reconnect at once.
const screenCount = 5000

func manyScreens(c *check) {
	raiseDescriptors()
	owner := c.owner()
	c.watch(owner, "/api/v1/principal", "/api/v1/modules/base/plain", "/api/v1/health/live")
	const channel = "/api/v1/module-realtime/board/notes"
	ctx, stop := context.WithCancel(c.ctx)
	defer stop()
	var screens sync.WaitGroup
	defer screens.Wait()
	defer stop()
	var first, again, refused atomic.Int64
	var reconnects atomic.Int64
	for n := range screenCount {
		screens.Go(func() {
			pause(ctx, time.Duration(n)*time.Millisecond) // the first time one after another
			for round := 0; ctx.Err() == nil; {
				came, ended := c.showOnce(ctx, owner, channel, func() {
					if round == 0 {
						first.Add(1)
					} else {
						again.Add(1)
					}
				})
				if came {
					round++
				} else if ctx.Err() == nil {
					refused.Add(1)
				}
				if ended {
					reconnects.Add(1)
				}
				pause(ctx, time.Duration(2000+n%2000)*time.Millisecond) // the range of "retry"
			}
		})
	}
	c.eventually("all screens show the board", func() bool { return first.Load() == screenCount })
	was := c.moduleProcess("board")
	began := time.Now()
	c.ok(syscall.Kill(was, syscall.SIGKILL), "SIGKILL")
	c.eventually("all screens are back", func() bool { return again.Load() >= screenCount })
	c.saw("%d screens, %d told to reconnect, all back after %.1f s; %d tries were refused", first.Load(),
		reconnects.Load(), time.Since(began).Seconds(), refused.Load())
	if reconnects.Load() < screenCount {
		c.wrong("%d of %d screens were told to reconnect", reconnects.Load(), screenCount)
	}
	got := owner.do("POST", "/api/v1/modules/board/notes", nil)
	if got.status != 200 {
		c.wrong("a write afterwards: %v", got)
	}
}

// showOnce reads one stream of a screen: came is false if it was refused, ended is whether it ended with a
// reconnect.
func (c *check) showOnce(ctx context.Context, p *person, channel string, shown func()) (came, ended bool) {
	// the wait for a connection has a limit of its own, because thousands connect at once
	s, err := p.subscribe(ctx, channel)
	if err != nil {
		_, said, _ := strings.Cut(err.Error(), "a stream was refused with ")
		known := strings.HasPrefix(said, "503 ") || strings.HasPrefix(said, `500 {"code":"MODULE_HANDLER_FAILED"}`)
		if ctx.Err() == nil && !known {
			c.wrong("a screen: %v", err)
		}
		return false, false
	}
	defer s.close()
	for {
		kind, _, err := s.next()
		if err != nil {
			return came, ended
		}
		switch kind {
		case "snapshot":
			came = true
			shown()
		case "reconnect":
			ended = true
		}
	}
}

// raiseDescriptors allows this process a socket for each screen.
func raiseDescriptors() {
	limit := syscall.Rlimit{}
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) == nil {
		limit.Cur = limit.Max
		_ = syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit)
	}
}
