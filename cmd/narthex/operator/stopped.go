package operator

import (
	"fmt"
	"os"
	"strings"
	"syscall"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
	"github.com/narthex-platform/narthex/migrations"
	"github.com/narthex-platform/narthex/modulehost/manifest"
)

// The limits for showing a statement: the number of lines, and of characters in each.
const (
	shownLines = 12
	shownWidth = 200
)

// ReportMigration prints where a migration failed: file, line, statement and the server's message. The last
// two may quote data that people have entered, so nothing is printed if standard error is systemd's journal.
func ReportMigration(p *cli.Program, err error) {
	stop, failed := migrations.Stopped(err)
	if !failed || isJournal(p) {
		return
	}
	where := stop.Line + "/" + stop.File
	if stop.At > 0 {
		where += fmt.Sprintf(", line %d", stop.At)
	}
	fmt.Fprintf(p.Stderr, "%s: %s\n", where, printable(stop.Message))
	lines := strings.Split(stop.Statement, "\n")
	for i, line := range lines {
		switch {
		case stop.Statement == "":
		case i < shownLines:
			fmt.Fprintln(p.Stderr, "    "+printable(line))
		case i == shownLines:
			fmt.Fprintf(p.Stderr, "    ... and %d lines more\n", len(lines)-shownLines)
		}
	}
}

// oneLine makes text one line, without characters that a terminal would interpret.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n':
			return ' '
		case manifest.IsHidden(r):
			return '\ufffd'
		}
		return r
	}, text)
}

// printable is oneLine, cut to a maximum length.
func printable(text string) string {
	shown := []rune(oneLine(text))
	if len(shown) > shownWidth {
		return string(shown[:shownWidth]) + " ..."
	}
	return string(shown)
}

// isJournal reports whether standard error is the stream that systemd names as connected to its journal
// (systemd.exec(5), $JOURNAL_STREAM).
func isJournal(p *cli.Program) bool {
	stream, _ := p.Lookup("JOURNAL_STREAM")
	file, ok := p.Stderr.(*os.File)
	if stream == "" || !ok {
		return false
	}
	var info syscall.Stat_t
	return syscall.Fstat(int(file.Fd()), &info) == nil && stream == fmt.Sprintf("%d:%d", info.Dev, info.Ino)
}
