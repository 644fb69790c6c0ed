package sdktest

import (
	"fmt"
	"strings"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

// Line is a line that the module has logged, without the parts that the platform drops.
type Line struct {
	Level      string // "info", "warn" or "error"
	Text       string
	Attributes map[string]string
}

// String returns the text that a failing test prints.
func (l Line) String() string { return fmt.Sprintf("%s %s %v", l.Level, l.Text, l.Attributes) }

// lines holds the lines that a module has logged.
type lines struct{ *observer.ObservedLogs }

func (l *lines) open() *zap.Logger {
	core, observed := observer.New(zap.DebugLevel)
	l.ObservedLogs = observed
	return zap.New(core)
}

// Logs returns the lines that the module has logged so far. A line is included when the module's call of Log
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

// Logged reports whether the module has logged a line whose text contains text.
func (m *Module) Logged(text string) bool {
	for _, line := range m.Logs() {
		if strings.Contains(line.Text, text) {
			return true
		}
	}
	return false
}
