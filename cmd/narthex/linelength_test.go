package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// maxColumns is the maximum length of a line of Go. A tab counts as one character.
const maxColumns = 110

// TestLinesEndAtTheirColumn finds lines of Go that are too long: gofmt does not break them, and their end is
// not visible in two windows side by side. Only generated code is exempt.
func TestLinesEndAtTheirColumn(t *testing.T) {
	eachSource(t, func(path, content string) {
		if strings.HasSuffix(path, ".pb.go") {
			return
		}
		for _, offender := range longLines(content) {
			t.Errorf("%s:%s", path, offender)
		}
	})
}

// eachSource calls visit with each file of Go in the repository, with its path from there.
func eachSource(t *testing.T, visit func(path, content string)) {
	t.Helper()
	err := filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		name := entry.Name()
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (name == "node_modules" || strings.HasPrefix(name, ".") && name != ".."):
			return filepath.SkipDir
		case entry.IsDir() || !strings.HasSuffix(name, ".go"):
			return nil
		}
		content, err := os.ReadFile(path)
		visit(strings.TrimPrefix(path, "../../"), string(content))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// longLines returns the number and the length of each line that is too long.
func longLines(content string) (offenders []string) {
	number := 0
	for line := range strings.Lines(content) {
		number++
		if length := utf8.RuneCountInString(strings.TrimRight(line, "\n")); length > maxColumns {
			offenders = append(offenders, fmt.Sprintf("%d: %d characters, want at most %d", number, length,
				maxColumns))
		}
	}
	return offenders
}

func TestLongLinesAreFound(t *testing.T) {
	content := strings.Repeat("ü", maxColumns) + "\n" + strings.Repeat("x", maxColumns+1) + "\n"
	if got := longLines(content); len(got) != 1 || !strings.HasPrefix(got[0], "2: 111 characters") {
		t.Errorf("a line of 110 characters and one of 111: %q, want only the second", got)
	}
}
