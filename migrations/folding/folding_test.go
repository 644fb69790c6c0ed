package folding_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/narthex-platform/narthex/migrations/folding"
)

func TestFold(t *testing.T) {
	for text, want := range map[string]string{
		"Öffne": "offne", "O\u0308ffne": "offne", "STRASSE": "strasse", "Straße": "strasse", "STRAẞE": "strasse",
		"İstanbul": "istanbul", "ﬁnn": "finn", "Ａnna": "anna", "Ἀθηνᾶ": "αθηνα", "ΟΔΥΣΣΕΥΣ": "οδυσσευσ",
		"Ёлкин": "елкин", "علي\u0640\u064e": "علي\u0640", "می\u200cخواهم": "میخواهم", "": "",
	} {
		if got := folding.Fold(text); got != want {
			t.Errorf("Fold(%q): %q, want %q", text, got, want)
		}
	}
}

func TestWords(t *testing.T) {
	want := []string{"anna-lena", "anna", "lena", "o'neil", "o", "neil", "oztas", "al.oztas+choir@ex-ample.org",
		"al", "choir", "ex", "ample", "org"}
	slices.Sort(want)
	got := folding.Words("Anna-Lena  O'Neil\u00a0Öztaş", "al.oztas+choir@ex-ample.org")
	if !slices.Equal(got, want) {
		t.Errorf("Words: %q, want %q", got, want)
	}
	if got := folding.Words("", ""); len(got) != 0 {
		t.Errorf("Words of an erased person: %q, want none", got)
	}
	if got := folding.Search(" Öffne  DICH\t"); !slices.Equal(got, []string{"offne", "dich"}) {
		t.Errorf("Search: %q, want offne and dich", got)
	}
	for _, long := range []string{
		strings.Repeat("\ufdfa", 300),       // each becomes four words
		"a" + strings.Repeat("\u0436", 300), // byte 512 is in the middle of a letter
	} {
		for _, word := range append(folding.Words(long, long), folding.Search(long)...) {
			if len(word) > 512 || strings.Contains(word, " ") || word == "" || !utf8.ValidString(word) {
				t.Errorf("a word of %d bytes, which ends with %q; want at most 512 bytes of whole characters",
					len(word), word[max(0, len(word)-4):])
			}
		}
	}
}
