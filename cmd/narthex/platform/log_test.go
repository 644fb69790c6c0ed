package main

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
)

func TestEveryLineIsWritten(t *testing.T) {
	var out bytes.Buffer
	log, end := newLog(&out)
	for range 1000 {
		log.Info("the same line")
	}
	end()
	if got := strings.Count(out.String(), `"msg":"the same line"`); got != 1000 {
		t.Errorf("%d of 1000 equal lines", got)
	}
}

func TestReaderThatDoesNotReadHoldsNothingUp(t *testing.T) {
	read, write := io.Pipe() // an unread pipe: the first write blocks
	log, end := newLog(write)
	for range queuedLines + 500 {
		log.Info("a line")
	}
	go func() { // it reads again
		var out bytes.Buffer
		_, _ = io.Copy(&out, read)
	}()
	end()
	_ = write.Close()
}

func TestDroppedLinesAreCounted(t *testing.T) {
	read, write := io.Pipe()
	lines := newLineWriter(write)
	const extra = 500
	for range queuedLines + 1 + extra { // one is in the writer's hands or still queued
		_, _ = lines.Write([]byte("a line\n"))
	}
	out := make(chan string)
	go func() {
		text, _ := io.ReadAll(read)
		out <- string(text)
	}()
	lines.close()
	_ = write.Close()
	text := <-out
	if !strings.Contains(text, `"msg":"log lines dropped","lines":50`) {
		t.Errorf("%d lines, the last ones: %s", strings.Count(text, "\n"), text[max(0, len(text)-200):])
	}
}

// TestReaderThatGoesAway: without care, a write to a closed standard error ends the process by SIGPIPE.
func TestReaderThatGoesAway(t *testing.T) {
	t.Parallel()
	i := install(t, "base")
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	daemon := narthex(t, i.environment, "api:start")
	daemon.Stderr = write
	if err := daemon.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = daemon.Process.Kill() })
	_ = write.Close()
	lines := bufio.NewScanner(read)
	for lines.Scan() && !strings.Contains(lines.Text(), `"msg":"ready"`) {
	}
	_ = read.Close()

	owner := i.signIn(t, ownerAddress, ownerPassword)
	for range 20 { // each is a line in the log
		if got := owner.do("GET", "/api/v1/modules/base/panic", nil); got.status != 500 {
			t.Fatalf("%d %s", got.status, got.body)
		}
	}
	if err := daemon.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := daemon.Wait(); err != nil {
		t.Errorf("the daemon ended with %v", err)
	}
}
