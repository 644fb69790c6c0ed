package mail_test

import (
	"bufio"
	"crypto/tls"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// action is what a faulty server does at one step; false ends the conversation.
type action func(conn net.Conn) bool

// script contains what a server does at the greeting (""), at a command (its verb), at a line that is not a
// command ("?") and at the end of a message ("."). For missing entries the server works correctly.
type script map[string]action

var working = script{
	"":         reply("220 ready"),
	"EHLO":     reply("250-there\r\n250-AUTH PLAIN LOGIN\r\n250 SMTPUTF8"),
	"HELO":     reply("250 there"),
	"STARTTLS": reply("220 go"),
	"AUTH":     reply("235 welcome"),
	"MAIL":     reply("250 ok"),
	"RCPT":     reply("250 ok"),
	"DATA":     reply("354 go on"),
	".":        reply("250 taken"),
	"QUIT":     reply("221 bye"),
}

func reply(text string) action {
	return func(conn net.Conn) bool {
		_, err := io.WriteString(conn, text+"\r\n")
		return err == nil
	}
}

// after returns an action that waits before it runs do.
func after(pause time.Duration, do action) action {
	return func(conn net.Conn) bool {
		<-time.After(pause)
		return do(conn)
	}
}

// silence sends nothing and waits until the other side disconnects.
func silence(conn net.Conn) bool {
	_, _ = io.Copy(io.Discard, conn)
	return false
}

// stopReading reads nothing until the client has disconnected, which it notices by a failing write.
func stopReading(conn net.Conn) bool {
	_ = conn.(*net.TCPConn).SetReadBuffer(4096)
	_, _ = io.WriteString(conn, "354 go on\r\n")
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for range tick.C {
		if _, err := io.WriteString(conn, "x"); err != nil {
			return false
		}
	}
	return false
}

// repliesInTurn returns an action that sends one text after the other.
func repliesInTurn(texts ...string) action {
	return func(conn net.Conn) bool {
		text := texts[0]
		texts = texts[1:]
		return reply(text)(conn)
	}
}

// hangUp closes the connection regularly.
func hangUp(conn net.Conn) bool {
	_ = conn.Close()
	return false
}

// reset aborts the connection.
func reset(conn net.Conn) bool {
	_ = conn.(*net.TCPConn).SetLinger(0)
	_ = conn.Close()
	return false
}

// endless returns an action that sends text repeatedly, as fast as it is read.
func endless(text string) action {
	return func(conn net.Conn) bool {
		text := []byte(strings.Repeat(text, 1000))
		for {
			if _, err := conn.Write(text); err != nil {
				return false
			}
		}
	}
}

// trickle returns an action that sends start and then single characters with pauses, forever.
func trickle(start string) action {
	return func(conn net.Conn) bool {
		_, err := io.WriteString(conn, start)
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for err == nil {
			<-tick.C
			_, err = io.WriteString(conn, "x")
		}
		return false
	}
}

// scriptedServer runs a script for every connection.
type scriptedServer struct {
	net.Listener
	script     script
	encryption *tls.Config // for STARTTLS

	mu          sync.Mutex
	connections int
	commands    []string
	messages    []string // messages up to their last dot
}

func startScripted(t *testing.T, s script, encryption *tls.Config) *scriptedServer {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &scriptedServer{Listener: listener, script: s, encryption: encryption}
	var actors sync.WaitGroup
	actors.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			server.mu.Lock()
			server.connections++
			server.mu.Unlock()
			actors.Go(func() { server.converse(conn) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		actors.Wait()
	})
	return server
}

func (server *scriptedServer) converse(conn net.Conn) {
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(patience))
	reader := bufio.NewReader(conn)
	for ok := server.act(conn, ""); ok; {
		text, err := reader.ReadString('\n')
		if err != nil {
			return
		}
		command := strings.TrimRight(text, "\r\n")
		verb, _, _ := strings.Cut(command, " ")
		server.mu.Lock()
		server.commands = append(server.commands, command)
		server.mu.Unlock()
		if ok = server.act(conn, verb); !ok {
			return
		}
		switch {
		case verb == "QUIT":
			return
		case verb == "STARTTLS" && server.encryption != nil:
			conn = tls.Server(conn, server.encryption)
			reader = bufio.NewReader(conn)
		case verb == "DATA" && server.script["DATA"] == nil:
			if ok = server.readMessage(reader) && server.act(conn, "."); !ok {
				return
			}
		}
	}
}

func (server *scriptedServer) act(conn net.Conn, turn string) bool {
	if do := server.script[turn]; do != nil {
		return do(conn)
	}
	if do := working[turn]; do != nil {
		return do(conn)
	}
	if do := server.script["?"]; do != nil {
		return do(conn)
	}
	return reply("500 what")(conn)
}

func (server *scriptedServer) readMessage(reader *bufio.Reader) bool {
	var message strings.Builder
	for {
		text, err := reader.ReadString('\n')
		if err != nil {
			return false
		}
		if text == ".\r\n" {
			break
		}
		message.WriteString(text)
	}
	server.mu.Lock()
	defer server.mu.Unlock()
	server.messages = append(server.messages, message.String())
	return true
}

// verbs returns the commands that were received, in order.
func (server *scriptedServer) verbs() []string {
	server.mu.Lock()
	defer server.mu.Unlock()
	var verbs []string
	for _, command := range server.commands {
		verb, _, _ := strings.Cut(command, " ")
		verbs = append(verbs, verb)
	}
	return verbs
}

// assertNever checks that none of the commands was received.
func (server *scriptedServer) assertNever(t *testing.T, verbs ...string) {
	t.Helper()
	for _, verb := range verbs {
		if verbs := server.verbs(); slices.Contains(verbs, verb) {
			t.Errorf("commands %q, want no %s", verbs, verb)
		}
	}
	server.mu.Lock()
	defer server.mu.Unlock()
	if server.connections != 1 {
		t.Errorf("%d connections, want 1", server.connections)
	}
}
