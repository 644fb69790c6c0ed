package process_test

import (
	"bytes"
	"strings"
	"testing"

	"go.uber.org/zap"
)

func TestOutputIsKeptAndNeverLogged(t *testing.T) {
	r := start(t, "good", nil)
	if _, err := r.handle(testContext(t), "/print", []byte("secret text\n")); err != nil {
		t.Fatal(err)
	}
	if _, err := r.handle(testContext(t), "/exit", nil); err == nil {
		t.Fatal("the module did not exit")
	}
	<-r.ended
	if got := string(r.Output()); got != "secret text\n" {
		t.Errorf("kept output %q, want \"secret text\\n\"", got)
	}
	r.assertLogsOmit(t, "secret")
}

func TestOutputKeepsTheLastOfMuch(t *testing.T) {
	r := start(t, "good", nil)
	if r.Output() != nil {
		t.Error("a silent module said something")
	}
	for i := range 3 {
		if _, err := r.handle(testContext(t), "/print", bytes.Repeat([]byte{byte('a' + i)}, 30<<10)); err != nil {
			t.Fatal(err)
		}
	}
	r.stop()
	<-r.ended
	// 64 KiB at once and 8 KiB a second are kept. Of 90 KiB written at once the end is dropped and counted.
	kept := string(r.Output())
	if len(kept) > 64<<10 || !strings.HasPrefix(kept, "aaa") && !strings.HasPrefix(kept, "bbb") {
		t.Errorf("kept %d bytes that begin with %.10q, want at most %d from the first line on", len(kept),
			kept,
			64<<10)
	}
	ended := r.logs.FilterMessage("module process ended").All()[0].ContextMap()
	if sum := ended["output_bytes"].(int64) + ended["output_bytes_dropped"].(int64); sum != 90<<10 {
		t.Error(sum, "bytes counted")
	}
}

// TestEndlessOutputIsBounded checks that a module that writes without end blocks neither itself nor the host,
// and that 64 KiB are kept.
func TestEndlessOutputIsBounded(t *testing.T) {
	r := start(t, "log-flood", nil)
	for range 100 {
		if _, err := r.handle(testContext(t), "/echo", nil); err != nil {
			t.Fatal(err)
		}
	}
	r.stop()
	<-r.ended
	if n := len(r.Output()); n == 0 || n > 64<<10 {
		t.Error(n, "bytes kept")
	}
	ended := r.logs.FilterMessage("module process ended").All()[0].ContextMap()
	if ended["output_bytes_dropped"].(int64) == 0 {
		t.Error("nothing was dropped")
	}
	r.assertLogsOmit(t, "secret")
	for _, entry := range r.logs.All() {
		if entry.Level > zap.InfoLevel {
			t.Error(entry)
		}
	}
}
