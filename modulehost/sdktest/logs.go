package sdktest

import (
	"fmt"
	"strings"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

// Line is one that the module has logged, as far as the platform keeps it.
type Line struct {
	Level      string // "info", "warn" or "error"
	Text       string
	Attributes map[string]string
}

// String is what a failing test prints.
func (l Line) String() string { return fmt.Sprintf("%s %s %v", l.Level, l.Text, l.Attributes) }

// lines keeps what a module logs.
type lines struct{ *observer.ObservedLogs }

func (l *lines) open() *zap.Logger {
	core, observed := observer.New(zap.DebugLevel)
	l.ObservedLogs = observed
	return zap.New(core)
}

// Logs are the lines that the module has logged so far. A line is here before the module's call of Log
// returns.
func (m *Module) Logs() []Line {
	var lines []Line
	for _, entry := range m.lines.All() {
		fields := entry.ContextMap()
		text, _ := fields["text"].(string)
		attributes, _ := fields["attributes"].(map[string]string)
		lines = append(lines, Line{Level: entry.Level.String(), Text: text, Attributes: attributes})
	}
	return lines
}

// Logged tells whether the module has logged a line whose text holds this.
func (m *Module) Logged(text string) bool {
	for _, line := range m.Logs() {
		if strings.Contains(line.Text, text) {
			return true
		}
	}
	return false
}
