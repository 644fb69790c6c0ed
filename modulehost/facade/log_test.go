package facade_test

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"
	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/facade"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

// TestALogIsMeasuredAsItIsWritten checks that a control character counts as the six bytes that it needs in
// the log, not as the one byte that the module sent.
func TestALogIsMeasuredAsItIsWritten(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"plain": "x", "controls": "\x01", "quotes": `"`, "Unicode": "\u20ac", "no UTF-8": "\xfc",
	} {
		var written bytes.Buffer
		log := zap.New(zapcore.NewCore(zapcore.NewJSONEncoder(zap.NewProductionEncoderConfig()),
			zapcore.AddSync(&written), zap.DebugLevel))
		session := facade.New(facade.Config{ModuleID: "loud", Log: log}).Open()
		t.Cleanup(session.Close)
		request := &abi.LogRequest{Message: bytes.Repeat([]byte(text), 10<<10)}
		for n := range 16 {
			request.Attributes = append(request.Attributes, &abi.Header{
				Name:  append([]byte{byte('a' + n)}, strings.Repeat(text, 1000)...),
				Value: bytes.Repeat([]byte(text), 1000),
			})
		}
		payload, err := proto.Marshal(request)
		if err != nil {
			t.Fatal(err)
		}
		for range 200 {
			if _, err := session.Serve(t.Context(), link.Method(abi.Method_METHOD_LOG), payload); err != nil {
				t.Fatal(err)
			}
		}
		lines := bytes.Count(written.Bytes(), []byte("\n"))
		if written.Len() > 160<<10 || lines < 10 {
			t.Errorf("%s: 200 long lines became %d lines and %d KiB of log, want at most 160 KiB", name, lines,
				written.Len()>>10)
		}
	}
}

// TestLogIsCutAndCapped: a window of 10 s has at most 100 lines, none with long fields. The next one tells
// how many were dropped.
func TestLogIsCutAndCapped(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		core, logs := observer.New(zap.DebugLevel)
		session := facade.New(facade.Config{ModuleID: "loud", Log: zap.New(core)}).Open()
		defer session.Close()
		write := func(request *abi.LogRequest, times int) {
			payload, err := proto.Marshal(request)
			if err != nil {
				t.Fatal(err)
			}
			for range times {
				if _, err := session.Serve(t.Context(), link.Method(abi.Method_METHOD_LOG), payload); err != nil {
					t.Fatal(err)
				}
			}
		}
		long := &abi.LogRequest{Message: bytes.Repeat([]byte("x"), 5000)}
		for n := range 40 {
			long.Attributes = append(long.Attributes,
				&abi.Header{Name: append(bytes.Clone(long.Message), byte('a'+n)), Value: long.Message})
		}
		write(long, 1)
		for _, field := range logs.TakeAll()[0].Context {
			if len(field.String) > 1<<10 {
				t.Errorf("%s has %d bytes, want at most 1,024", field.Key, len(field.String))
			}
		}
		time.Sleep(10*time.Second - time.Nanosecond)
		short := &abi.LogRequest{Message: []byte("x")}
		write(short, 500)
		if n := len(logs.TakeAll()); n != 99 {
			t.Errorf("%d further lines of a window, want 99", n)
		}
		time.Sleep(time.Nanosecond)
		write(short, 500)
		lines := logs.TakeAll()
		if len(lines) != 101 || lines[0].Message != "module log lines dropped" ||
			lines[0].ContextMap()["lines"] != int64(401) {
			t.Errorf("%d lines of the next window, the first %v; want 100 after that of 401 dropped lines",
				len(lines), lines[0])
		}
	})
}
