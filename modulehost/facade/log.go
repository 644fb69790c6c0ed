package facade

import (
	"context"
	"sync"
	"time"
	"unicode/utf8"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/abi"
)

// What of a module's words gets into the host's log.
const (
	lineBytes      = 1 << 10
	attributeBytes = 256
	maxAttributes  = 16
	linesPerWindow = 100
	lineWindow     = 10 * time.Second
)

// lineBudget lets a number of lines through in each window and counts the rest.
type lineBudget struct {
	mu      sync.Mutex
	since   time.Time
	used    int
	dropped int
}

// take tells whether a line may go out, and how many did not since the last one that did in a new window.
func (b *lineBudget) take(now time.Time) (ok bool, dropped int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if now.Sub(b.since) >= lineWindow {
		dropped = b.dropped
		b.since, b.used, b.dropped = now, 0, 0
	}
	if b.used >= linesPerWindow {
		b.dropped++
		return false, 0
	}
	b.used++
	return true, dropped
}

func (s *session) log(_ context.Context, request *abi.LogRequest) (proto.Message, error) {
	module := zap.String("module", s.facade.config.ModuleID)
	ok, dropped := s.facade.lines.take(time.Now())
	if dropped > 0 {
		s.facade.config.Log.Warn("module log lines dropped", module, zap.Int("lines", dropped))
	}
	if !ok {
		return &abi.LogResponse{}, nil
	}
	attributes := make(map[string]string, len(request.GetAttributes()))
	for _, attribute := range request.GetAttributes() {
		if len(attributes) == maxAttributes {
			break
		}
		attributes[cutText(attribute.GetName(), attributeBytes)] = cutText(attribute.GetValue(), attributeBytes)
	}
	s.facade.config.Log.Log(zapLevel(request.GetLevel()), "module says", module,
		zap.String("text", cutText(request.GetMessage(), lineBytes)), zap.Any("attributes", attributes))
	return &abi.LogResponse{}, nil
}

// cutText keeps at most limit bytes, and no part of a character.
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
