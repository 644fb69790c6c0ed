package conform_test

import (
	"testing"

	"github.com/narthex-platform/narthex/cmd/narthex/conform"
)

// TestPrintable: names that a module chose cannot write to the terminal.
func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"Größe ✓":                     "Größe ✓",
		"\x1b[2Jgone\a":               "?[2Jgone?",
		"a\nb\tc\r":                   "a?b?c?",
		"\x7f|\u0080|\u009b1m|\u00a0": "?|?|?1m|\u00a0",
	} {
		if got := conform.Printable(text); got != want {
			t.Errorf("Printable(%q): %q, want %q", text, got, want)
		}
	}
}
