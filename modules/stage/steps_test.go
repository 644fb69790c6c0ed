package main

import (
	"strings"
	"testing"
)

// TestStepsFitOnAScreen: a step has at most six lines, longer texts become several steps of about the same
// length, and no word is lost.
func TestStepsFitOnAScreen(t *testing.T) {
	t.Parallel()
	psalm := "The LORD is my shepherd; I shall not want. He maketh me to lie down in green pastures: he " +
		"leadeth me"
	const line = "Though the eye of sinful man Thy glory may not see"
	for text, want := range map[string]string{
		"one line":               "one line",
		"a\nb\nc\nd\ne\nf\ng\nh": "a/b/c/d | e/f/g/h",
		"first\n\nsecond":        "first | second",
		"first\n \n\n\nsecond":   "first | second",
		psalm: "The LORD is my shepherd; I shall/not want. He maketh me to lie down/" +
			"in green pastures: he leadeth me",
		strings.Repeat("x", brokenLine*2): strings.Repeat("x", brokenLine) + "/" + strings.Repeat("x", brokenLine),
		line:                              line,
	} {
		var got []string
		for _, one := range (&words{Kind: readingKind, Title: "x", Text: text}).steps() {
			got = append(got, strings.Join(one.Lines, "/"))
			if len(one.Lines) > screenLines {
				t.Errorf("steps of %.40q: one has %d lines, want at most %d", text, len(one.Lines), screenLines)
			}
		}
		if strings.Join(got, " | ") != want {
			t.Errorf("steps of %.40q: %s, want %s", text, strings.Join(got, " | "), want)
		}
	}
	if got := (&words{Kind: talkKind, Title: "Sermon"}).steps(); got[0].Lines[0] != "Sermon" {
		t.Errorf("the steps of a talk without a text: %v, want its title", got)
	}
}
