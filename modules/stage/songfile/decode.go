package songfile

import (
	"strings"

	"github.com/narthex-platform/narthex/modulehost/sdk/files"
)

// decoded returns a file's text, whether its encoding is a guess, and whether the file is a text at all.
func decoded(content []byte) (text string, guessed, isText bool) {
	text, encoding := files.Text(content)
	if encoding != files.UTF16 && strings.ContainsRune(string(content), 0) {
		return "", false, false
	}
	return text, encoding == files.Windows1252, !strings.ContainsFunc(text, func(r rune) bool {
		return r < ' ' && r != '\n' && r != '\r' && r != '\t' && r != '\f' && r != '\v'
	})
}
