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

// answer is what a misbehaving server does when it is its turn; false ends the conversation.
type answer func(conn net.Conn) bool

// script is what a server does at a greeting (""), a command (its verb), a line that is none ("?") or the end of a message
// ("."). What it leaves out works.
type script map[string]answer

var working = script{
	"":         say("220 ready"),
	"EHLO":     say("250-there\r\n250-AUTH PLAIN LOGIN\r\n250 SMTPUTF8"),
	"HELO":     say("250 there"),
	"STARTTLS": say("220 go"),
	"AUTH":     say("235 welcome"),
	"MAIL":     say("250 ok"),
	"RCPT":     say("250 ok"),
	"DATA":     say("354 go on"),
	".":        say("250 taken"),
	"QUIT":     say("221 bye"),
}

func say(text string) answer {
	return func(conn net.Conn) bool {
		_, err := io.WriteString(conn, text+"\r\n")
		return err == nil
	}
}

// after waits before it does.
func after(pause time.Duration, do answer) answer {
	return func(conn net.Conn) bool {
		<-time.After(pause)
		return do(conn)
	}
}

// silence says nothing and waits for the other side to go.
func silence(conn net.Conn) bool {
	_, _ = io.Copy(io.Discard, conn)
	return false
}

// deaf does not even read, until the client is gone, which a write tells.
func deaf(conn net.Conn) bool {
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

// inTurn says one text after the other.
func inTurn(texts ...string) answer {
	return func(conn net.Conn) bool {
		text := texts[0]
		texts = texts[1:]
		return say(text)(conn)
	}
}

// hangUp ends the connection in order.
func hangUp(conn net.Conn) bool {
	_ = conn.Close()
	return false
}

// reset breaks the connection off.
func reset(conn net.Conn) bool {
	_ = conn.(*net.TCPConn).SetLinger(0)
	_ = conn.Close()
	return false
}

// endless says text again and again, as fast as it is read.
func endless(text string) answer {
	return func(conn net.Conn) bool {
		text := []byte(strings.Repeat(text, 1000))
		for {
			if _, err := conn.Write(text); err != nil {
				return false
			}
		}
	}
}

// trickle says start and then a letter now and then, for ever.
func trickle(start string) answer {
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

// stage plays a script to whoever connects.
type stage struct {
	net.Listener
	script     script
	encryption *tls.Config // for STARTTLS

	mu          sync.Mutex
	connections int
	commands    []string
	taken       []string // messages up to their last dot
}

func play(t *testing.T, s script, encryption *tls.Config) *stage {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	st := &stage{Listener: listener, script: s, encryption: encryption}
	var actors sync.WaitGroup
	actors.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			st.mu.Lock()
			st.connections++
			st.mu.Unlock()
			actors.Go(func() { st.converse(conn) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		actors.Wait()
	})
	return st
}

func (st *stage) converse(conn net.Conn) {
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(patience))
	reader := bufio.NewReader(conn)
	for ok := st.answer(conn, ""); ok; {
		text, err := reader.ReadString('\n')
		if err != nil {
			return
		}
		command := strings.TrimRight(text, "\r\n")
		verb, _, _ := strings.Cut(command, " ")
		st.mu.Lock()
		st.commands = append(st.commands, command)
		st.mu.Unlock()
		if ok = st.answer(conn, verb); !ok {
			return
		}
		switch {
		case verb == "QUIT":
			return
		case verb == "STARTTLS" && st.encryption != nil:
			conn = tls.Server(conn, st.encryption)
			reader = bufio.NewReader(conn)
		case verb == "DATA" && st.script["DATA"] == nil:
			if ok = st.take(reader) && st.answer(conn, "."); !ok {
				return
			}
		}
	}
}

func (st *stage) answer(conn net.Conn, turn string) bool {
	if do := st.script[turn]; do != nil {
		return do(conn)
	}
	if do := working[turn]; do != nil {
		return do(conn)
	}
	if do := st.script["?"]; do != nil {
		return do(conn)
	}
	return say("500 what")(conn)
}

func (st *stage) take(reader *bufio.Reader) bool {
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
	st.mu.Lock()
	defer st.mu.Unlock()
	st.taken = append(st.taken, message.String())
	return true
}

// heard are the verbs that came, in order.
func (st *stage) heard() []string {
	st.mu.Lock()
	defer st.mu.Unlock()
	var verbs []string
	for _, command := range st.commands {
		verb, _, _ := strings.Cut(command, " ")
		verbs = append(verbs, verb)
	}
	return verbs
}

// checkNever fails when one of the verbs came.
func (st *stage) checkNever(t *testing.T, verbs ...string) {
	t.Helper()
	for _, verb := range verbs {
		if heard := st.heard(); slices.Contains(heard, verb) {
			t.Errorf("%s came: %q", verb, heard)
		}
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.connections != 1 {
		t.Errorf("%d connections", st.connections)
	}
}
