package sdk

import (
	"context"
	"log/slog"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

// logDeadline bounds how long one line may block the module.
const logDeadline = 2 * time.Second

// logHandler sends every record to the host.
type logHandler struct {
	client *link.Client
	prefix string // the names of the open groups
	attrs  []*abi.Header
}

// Enabled drops debug lines. The host filters the other levels.
func (h *logHandler) Enabled(_ context.Context, level slog.Level) bool {
	return level >= slog.LevelInfo
}

// Handle sends one record and waits until the host has received it.
func (h *logHandler) Handle(_ context.Context, record slog.Record) error {
	request := &abi.LogRequest{Level: logLevel(record.Level), Message: []byte(record.Message)}
	request.Attributes = append(request.Attributes, h.attrs...)
	record.Attrs(func(attr slog.Attr) bool {
		request.Attributes = append(request.Attributes, h.attribute(attr))
		return true
	})
	ctx, cancel := context.WithTimeout(context.Background(), logDeadline)
	defer cancel()
	return call(ctx, h.client, abi.Method_METHOD_LOG, request, &abi.LogResponse{})
}

// WithAttrs returns a handler that adds attrs to every record.
func (h *logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	next := *h
	next.attrs = append([]*abi.Header(nil), h.attrs...)
	for _, attr := range attrs {
		next.attrs = append(next.attrs, h.attribute(attr))
	}
	return &next
}

// WithGroup returns a handler that puts name before every following attribute.
func (h *logHandler) WithGroup(name string) slog.Handler {
	next := *h
	next.prefix = h.prefix + name + "."
	return &next
}

func (h *logHandler) attribute(attr slog.Attr) *abi.Header {
	return &abi.Header{Name: []byte(h.prefix + attr.Key), Value: []byte(attr.Value.Resolve().String())}
}

func logLevel(level slog.Level) abi.LogRequest_Level {
	switch {
	case level >= slog.LevelError:
		return abi.LogRequest_ERROR
	case level >= slog.LevelWarn:
		return abi.LogRequest_WARN
	}
	return abi.LogRequest_INFO
}
