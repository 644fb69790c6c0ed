package facade

import (
	"context"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
)

// The limits of a module's lines in the host's log, in bytes of the written line: a control character counts
// as six.
const (
	lineBytes      = 1 << 10
	attributeBytes = 256
	maxAttributes  = 16
	linesPerWindow = 100
	bytesPerWindow = 128 << 10
	lineWindow     = 10 * time.Second
)

// lineBudget allows a number of lines and bytes in each window and counts the lines over the limit.
type lineBudget struct {
	mu      sync.Mutex
	since   time.Time
	lines   int
	bytes   int
	dropped int
}

// take reports whether a line may be written. For the first line of a new window it also returns how many
// lines were dropped in the previous one.
func (b *lineBudget) take(now time.Time, bytes int) (ok bool, dropped int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if now.Sub(b.since) >= lineWindow {
		dropped = b.dropped
		b.since, b.lines, b.bytes, b.dropped = now, 0, 0, 0
	}
	if b.lines >= linesPerWindow || b.bytes+bytes > bytesPerWindow {
		b.dropped++
		return false, dropped
	}
	b.lines++
	b.bytes += bytes
	return true, dropped
}

func (s *session) log(_ context.Context, request *abi.LogRequest) (proto.Message, error) {
	module := zap.String("module", s.facade.config.ModuleID)
	text, bytes := cutEscaped(s.facade.masked(request.GetMessage()), lineBytes)
	attributes := make(map[string]string, min(len(request.GetAttributes()), maxAttributes))
	for _, attribute := range request.GetAttributes() {
		if len(attributes) == maxAttributes {
			break
		}
		name, nameBytes := cutEscaped(s.facade.masked(attribute.GetName()), attributeBytes)
		value, valueBytes := cutEscaped(s.facade.masked(attribute.GetValue()), attributeBytes)
		attributes[name] = value
		bytes += nameBytes + valueBytes
	}
	ok, dropped := s.facade.lines.take(time.Now(), bytes)
	if dropped > 0 {
		s.facade.config.Log.Warn("module log lines dropped", module, zap.Int("lines", dropped))
	}
	if ok {
		s.facade.config.Log.Log(zapLevel(request.GetLevel()), "module says", module,
			zap.String("text", text), zap.Any("attributes", attributes))
	}
	return &abi.LogResponse{}, nil
}

// maskedBytes is the shortest secret that is masked: a shorter one could be a part of any word.
const maskedBytes = 6

// masked returns a text of the module without the values of its secrets.
func (f *Facade) masked(text []byte) string {
	said := string(text)
	for _, secret := range f.config.Secrets {
		if len(secret) >= maskedBytes {
			said = strings.ReplaceAll(said, secret, "[secret]")
		}
	}
	return said
}

// cutEscaped returns the beginning of text that needs at most limit bytes as a JSON string, and how many
// bytes it needs.
func cutEscaped(text string, limit int) (kept string, bytes int) {
	for at, char := range text {
		size := escapedBytes(char)
		if bytes+size > limit {
			return text[:at], bytes
		}
		bytes += size
	}
	return text, bytes
}

// escapedBytes counts invalid UTF-8 as the escape sequence of the replacement character.
func escapedBytes(char rune) int {
	switch {
	case char == '"', char == '\\', char == '\n', char == '\r', char == '\t':
		return 2
	case char < ' ', char == utf8.RuneError:
		return 6
	}
	return utf8.RuneLen(char)
}

// cutText returns at most limit bytes of text, cut between two characters.
func cutText(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}

func zapLevel(level abi.LogRequest_Level) zapcore.Level {
	switch level {
	case abi.LogRequest_ERROR:
		return zapcore.ErrorLevel
	case abi.LogRequest_WARN:
		return zapcore.WarnLevel
	case abi.LogRequest_DEBUG:
		return zapcore.DebugLevel
	}
	return zapcore.InfoLevel
}
