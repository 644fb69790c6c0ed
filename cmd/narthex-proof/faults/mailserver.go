package main

import (
	"bufio"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
)

// mailServer accepts and counts emails.
type mailServer struct {
	address  string
	emails   atomic.Int64
	listener net.Listener

	mu      sync.Mutex
	open    map[net.Conn]bool
	serving sync.WaitGroup
}

func newMailServer() (*mailServer, error) {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	m := &mailServer{address: listener.Addr().String(), listener: listener, open: make(map[net.Conn]bool)}
	m.serving.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			m.mu.Lock()
			m.open[conn] = true
			m.mu.Unlock()
			m.serving.Go(func() { m.serve(conn) })
		}
	})
	return m, nil
}

func (m *mailServer) close() {
	_ = m.listener.Close()
	m.mu.Lock()
	for conn := range m.open {
		_ = conn.Close()
	}
	m.mu.Unlock()
	m.serving.Wait()
}

// serve implements as much SMTP as is needed to receive an email.
func (m *mailServer) serve(conn net.Conn) {
	defer func() {
		m.mu.Lock()
		delete(m.open, conn)
		m.mu.Unlock()
		_ = conn.Close()
	}()
	say := func(line string) { _, _ = fmt.Fprint(conn, line+"\r\n") }
	say("220 mail.example.org ESMTP")
	message := false
	for lines := bufio.NewScanner(conn); lines.Scan(); {
		line := lines.Text()
		verb, _, _ := strings.Cut(strings.ToUpper(line), " ")
		switch {
		case message && line == ".":
			message = false
			m.emails.Add(1)
			say("250 2.0.0 taken")
		case message:
		case verb == "EHLO":
			say("250-mail.example.org\r\n250 8BITMIME")
		case verb == "DATA":
			message = true
			say("354 go on")
		case verb == "QUIT":
			say("221 2.0.0 bye")
			return
		default:
			say("250 2.0.0 ok")
		}
	}
}
