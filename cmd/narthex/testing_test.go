package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestTestingPage: docs/testing.md names tests that exist, and in the column of guards only those that run
// with -short.
func TestTestingPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/testing.md")
	if err != nil {
		t.Fatal(err)
	}
	guards, guardColumn := 0, 2
	for row := range strings.Lines(string(page)) {
		if strings.HasPrefix(row, "## Cases") {
			guardColumn = 1
		} else if strings.HasPrefix(row, "## ") {
			guardColumn = 2
		}
		for column, cell := range strings.Split(row, "|") {
			for _, span := range quoted.FindAllStringSubmatch(cell, -1) {
				named := namedTest.FindStringSubmatch(span[1])
				if named == nil {
					continue
				}
				for name := range strings.SplitSeq(named[2], ", ") {
					body, guard := bodyOfTest(t, named[1], name), column >= guardColumn
					switch {
					case body == "":
						t.Errorf("docs/testing.md: no test %s in %s", name, named[1])
					case guard && skipsWithShort.MatchString(body):
						t.Errorf("docs/testing.md: %s of %s skips with -short, so it guards nothing", name, named[1])
					case guard:
						guards++
					}
				}
			}
		}
	}
	if guards < 30 {
		t.Errorf("docs/testing.md names %d guards, want all", guards)
	}
}

// skipsWithShort matches the body of a test that skips as a whole, and not only some of its cases.
var skipsWithShort = regexp.MustCompile(`\n\t(?:leaveToProof\(|if testing\.Short\(\) \{\n\t\tt\.Skip)`)

// bodyOfTest returns a test of a folder, or "" if there is none.
func bodyOfTest(t *testing.T, folder, name string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("../..", folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if _, body, found := strings.Cut(string(content), "\nfunc "+name+"("); found {
			body, _, _ = strings.Cut(body, "\n}\n")
			return body
		}
	}
	return ""
}
