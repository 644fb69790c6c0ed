package facade_test

import (
	"bytes"
	"strings"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
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
