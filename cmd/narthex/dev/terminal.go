package dev

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
	"github.com/narthex-platform/narthex/cmd/narthex/platform"
	"github.com/narthex-platform/narthex/modulehost/modulelogs"
)

// console writes to the author's terminal: the platform's log in a readable form, and the output of modules.
// It keeps the last lines, which the page shows if a step fails.
type console struct {
	mu     sync.Mutex
	out    io.Writer
	colour bool
	recent []string
	bench  *bench // shows the modules' lines with their requests
}

// recentLines limits how many lines a page shows.
const recentLines = 80

// newConsole also returns the log. On a terminal its lines are formatted for people, otherwise they are the
// JSON lines of api:start.
func newConsole(out io.Writer) (c *console, log *zap.Logger, end func()) {
	c = &console{out: out}
	terminal := cli.IsTerminal(out)
	if !terminal {
		lines, end := platform.NewLog(out)
		errorsOnly := &readableCore{console: c, LevelEnabler: zapcore.ErrorLevel, silent: true}
		return c, zap.New(zapcore.NewTee(lines.Core(), errorsOnly)), end
	}
	c.colour = os.Getenv("NO_COLOR") == ""
	return c, zap.New(&readableCore{console: c, LevelEnabler: zapcore.InfoLevel}), func() {}
}

// forget discards the kept lines, so that a page shows only later ones.
func (c *console) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.recent = nil
}

// recentLines returns the lines since forget.
func (c *console) recentLines() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.Join(c.recent, "\n")
}

// writeLine writes a line. shown is the line for the page; "" means that the page does not show it.
func (c *console) writeLine(line, shown string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if line != "" {
		_, _ = fmt.Fprintln(c.out, line)
	}
	if shown != "" {
		c.recent = append(c.recent, shown)
		c.recent = c.recent[max(0, len(c.recent)-recentLines):]
	}
}

// writerFor returns the writer for a module's output. It prefixes each line with the module's name.
func (c *console) writerFor(moduleID string) io.Writer {
	m := &moduleOutput{console: c, moduleID: moduleID}
	m.escaper.To = &m.line
	return m
}

type moduleOutput struct {
	console  *console
	moduleID string
	escaper  modulelogs.Escaper
	line     strings.Builder // not complete yet
}

// Write prints the complete lines. Only one goroutine calls it.
func (m *moduleOutput) Write(text []byte) (int, error) {
	for line := range strings.Lines(string(text)) {
		_, _ = m.escaper.Write([]byte(strings.TrimSuffix(line, "\n")))
		if strings.HasSuffix(line, "\n") || m.line.Len() > 4<<10 {
			m.console.bench.wrote(m.moduleID, m.line.String())
			m.console.writeLine(m.console.paint("36", m.moduleID)+" | "+m.line.String(), m.line.String())
			m.line.Reset()
		}
	}
	return len(text), nil
}

func (c *console) paint(code, text string) string {
	if !c.colour {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// readableCore writes a log entry as "time LEVEL message key=value ...".
type readableCore struct {
	zapcore.LevelEnabler
	console *console
	fields  []zapcore.Field
	silent  bool // keeps the line for the page, without writing it
}

// With returns a core that adds fields to every line.
func (r *readableCore) With(fields []zapcore.Field) zapcore.Core {
	next := *r
	next.fields = append(append([]zapcore.Field(nil), r.fields...), fields...)
	return &next
}

// Check adds the core to an entry of an enabled level.
func (r *readableCore) Check(entry zapcore.Entry, checked *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if r.Enabled(entry.Level) {
		return checked.AddCore(entry, r)
	}
	return checked
}

// Sync does nothing.
func (r *readableCore) Sync() error { return nil }

var levels = map[zapcore.Level]struct{ word, colour string }{
	zapcore.InfoLevel: {"info ", "32"}, zapcore.WarnLevel: {"warn ", "33"}, zapcore.ErrorLevel: {"error", "31"},
}

// Write writes one entry.
func (r *readableCore) Write(entry zapcore.Entry, fields []zapcore.Field) error {
	var said strings.Builder
	said.WriteString(entry.Message)
	for _, field := range append(append([]zapcore.Field(nil), r.fields...), fields...) {
		values := zapcore.NewMapObjectEncoder()
		field.AddTo(values)
		for key, value := range values.Fields {
			said.WriteString("  " + r.console.paint("2", key+"=") + readable(value))
		}
	}
	level := levels[entry.Level]
	word := r.console.paint(level.colour, level.word)
	line := entry.Time.Format("15:04:05.000") + " " + word + " " + said.String()
	shown := ""
	if entry.Level >= zapcore.ErrorLevel {
		shown = said.String()
	}
	if r.silent {
		line = ""
	}
	r.console.writeLine(line, shown)
	return nil
}

// readable puts each line of a value on a line of its own, and quotes those with characters that a terminal
// would interpret or that are not visible.
func readable(value any) string {
	lines := strings.Split(fmt.Sprint(value), "\n")
	for n, line := range lines {
		if line == "" || strings.ContainsFunc(line, func(c rune) bool { return !unicode.IsPrint(c) }) {
			lines[n] = strconv.Quote(line)
		}
	}
	return strings.Join(lines, "\n    ")
}
