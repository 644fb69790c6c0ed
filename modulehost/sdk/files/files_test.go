package files_test

import (
	"testing"
	"unicode/utf8"

	"github.com/narthex-platform/narthex/modulehost/sdk/files"
	"github.com/narthex-platform/narthex/modulehost/sdk/files/filestest"
)

// TestText: the same words come out of every encoding, with their letters composed.
func TestText(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		content  string
		text     string
		encoding files.Encoding
	}{
		"UTF-8":                      {"Frühstück", "Frühstück", files.UTF8},
		"UTF-8 with a mark":          {"\ufeffFrühstück", "Frühstück", files.UTF8},
		"decomposed":                 {"Fru\u0308hstu\u0308ck", "Frühstück", files.UTF8},
		"Windows-1252":               {"Fr\xfchst\xfcck \x80 \x96", "Frühstück € –", files.Windows1252},
		"a byte without a character": {"J\xfcrgen\x81", "Jürgen\ufffd", files.Windows1252},
		"UTF-16 LE with a mark":      {"\xff\xfeF\x00r\x00\xfc\x00", "Frü", files.UTF16},
		"UTF-16 BE with a mark":      {"\xfe\xff\x00F\x00r\x00\xfc", "Frü", files.UTF16},
		"UTF-16 LE":                  {"N\x00a\x00m\x00e\x00\xfc\x00", "Nameü", files.UTF16},
		"UTF-16 BE":                  {"\x00N\x00a\x00m\x00e\x00\xfc", "Nameü", files.UTF16},
		"half a letter":              {"\xff\xfeF\x00\x00\xd8", "F\ufffd", files.UTF16},
		"zeros":                      {"a\x00b", "ab", files.UTF8},
		"nothing":                    {"", "", files.UTF8},
	} {
		text, encoding := files.Text([]byte(c.content))
		if text != c.text || encoding != c.encoding {
			t.Errorf("%s: %q in %s, want %q in %s", name, text, encoding, c.text, c.encoding)
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add([]byte("\xff\xfea\x00"))
	f.Fuzz(func(t *testing.T, content []byte) {
		filestest.Bounded(t, content, func() {
			if text, encoding := files.Text(content); !utf8.ValidString(text) {
				t.Errorf("%q from %s is no text", text, encoding)
			}
		})
	})
}
