package platform

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

func TestEveryLineIsWritten(t *testing.T) {
	var out bytes.Buffer
	log, end := NewLog(&out)
	for range 1000 {
		log.Info("the same line")
	}
	end()
	if got := strings.Count(out.String(), `"msg":"the same line"`); got != 1000 {
		t.Errorf("%d equal lines were written, want 1000", got)
	}
}

func TestReaderThatDoesNotReadHoldsNothingUp(t *testing.T) {
	read, write := io.Pipe() // an unread pipe: the first write blocks
	log, end := NewLog(write)
	for range queuedLines + 500 {
		log.Info("a line")
	}
	go func() { // now reads the pipe
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
	for range queuedLines + 1 + extra { // one line is in the writer, the others are queued
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
