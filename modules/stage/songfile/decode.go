package songfile

import (
	"strings"

	"github.com/narthex-platform/narthex/modulehost/sdk/files"
)

// decoded returns a file's text. It reports whether the file is a text at all.
func decoded(content []byte) (string, bool) {
	text, encoding := files.Text(content)
	if encoding != files.UTF16 && strings.ContainsRune(string(content), 0) {
		return "", false
	}
	return text, !strings.ContainsFunc(text, func(r rune) bool {
		return r < ' ' && r != '\n' && r != '\r' && r != '\t' && r != '\f' && r != '\v'
	})
}
