// Package mailtexts compares the mails of a module with files, which people can read, and which the tests of
// the platform's letterhead use.
package mailtexts

import (
	"os"
	"path/filepath"
	"testing"
)

// Assert compares a mail with testdata/mails/NAME.txt in the folder of the test: its subject, an empty line
// and its text. MAILS=write writes the file.
func Assert(t *testing.T, name, subject, text string) {
	t.Helper()
	file, got := filepath.Join("testdata", "mails", name+".txt"), subject+"\n\n"+text
	if os.Getenv("MAILS") == "write" {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil || got != string(want) {
		t.Errorf("%s (error %v): the mail is\n%s\nwant\n%s", file, err, got, want)
	}
}
