package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const docs = "../../docs/"

// readers are the pages at which a reader begins. docs/README.md leads to each.
var readers = []string{"operator", "administrator", "coordinator", "author"}

func readPage(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// TestReadersBegin: the index leads to the page of each reader, and so does the README to the index.
func TestReadersBegin(t *testing.T) {
	index := readPage(t, docs+"README.md")
	for _, reader := range readers {
		if !strings.Contains(index, "("+reader+".md)") {
			t.Errorf("docs/README.md does not lead to %s.md", reader)
		}
	}
	if !strings.Contains(readPage(t, "../../README.md"), "(docs/README.md)") {
		t.Error("README.md does not lead to docs/README.md")
	}
}

// TestLinksOfPages: what a page of docs, the README or CONTRIBUTING links to is there, with its heading.
func TestLinksOfPages(t *testing.T) {
	pages, err := filepath.Glob(docs + "*.md")
	if err != nil {
		t.Fatal(err)
	}
	deeper, err := filepath.Glob(docs + "*/*.md")
	if err != nil {
		t.Fatal(err)
	}
	pages = append(pages, deeper...)
	pages = append(pages, "../../README.md", "../../CONTRIBUTING.md")
	link, code := regexp.MustCompile(`\]\(([^)\s]+)\)`), regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")
	for _, page := range pages {
		for _, found := range link.FindAllStringSubmatch(code.ReplaceAllString(readPage(t, page), ""), -1) {
			target, heading, _ := strings.Cut(found[1], "#")
			if strings.Contains(target, ":") { // another site
				continue
			}
			file := page
			if target != "" {
				file = filepath.Join(filepath.Dir(page), target)
			}
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s links to %s, which is not there", page, found[1])
			} else if heading != "" && !hasHeading(readPage(t, file), heading) {
				t.Errorf("%s links to %s, which has no such heading", page, found[1])
			}
		}
	}
}

// hasHeading finds a heading by its anchor: lower case, hyphens for spaces, no punctuation.
func hasHeading(page, anchor string) bool {
	for line := range strings.Lines(page) {
		words := strings.TrimSpace(strings.TrimLeft(line, "#"))
		if !strings.HasPrefix(line, "#") {
			continue
		}
		words = regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(words), "")
		if strings.ReplaceAll(words, " ", "-") == anchor {
			return true
		}
	}
	return false
}

// TestWordsOfScreens: what a handbook has in bold, as words of the screen, the Dashboard or a module says.
func TestWordsOfScreens(t *testing.T) {
	said := ""
	for _, pattern := range []string{
		"../../web/dashboard/screens/*/words.ts", "../../web/dashboard/words/english.ts", "../../web/kit/words.ts",
		"../../modules/*/ui-src/*words.ts", "../../modules/*/ui-src/english.ts", "../../modules/*/module.json",
	} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, error %v; want some", pattern, len(files), err)
		}
		for _, file := range files {
			said += readPage(t, file)
		}
	}
	for _, reader := range []string{"administrator", "coordinator"} {
		page := strings.Join(strings.Fields(readPage(t, docs+reader+".md")), " ")
		bold := regexp.MustCompile(`\*\*([^*]+)\*\*`).FindAllStringSubmatch(page, -1)
		for _, words := range bold {
			// A sentence is the page's own. A label may go on with a number or an explanation.
			label := regexp.MustCompile(`"` + regexp.QuoteMeta(words[1]) + `("| \(| \{|: )`)
			if !strings.HasSuffix(words[1], ".") && !label.MatchString(said) {
				t.Errorf("docs/%s.md: no screen says %q", reader, words[1])
			}
		}
		if len(bold) < 20 {
			t.Errorf("docs/%s.md: %d words of screens, want those of all screens", reader, len(bold))
		}
	}
}

// TestCommandsOfReaders: every command of a reader's page stands on a page whose commands a test runs.
func TestCommandsOfReaders(t *testing.T) {
	run := ""
	for _, page := range []string{"operations/install.md", "operations/upgrade.md", "operations/bad-sunday.md",
		"operations/backup.md", "modules.md"} {
		run += readPage(t, docs+page)
	}
	block := regexp.MustCompile("(?ms)^ *```sh\n(.*?)^ *```$")
	for _, reader := range readers {
		for _, found := range block.FindAllStringSubmatch(readPage(t, docs+reader+".md"), -1) {
			for line := range strings.Lines(found[1]) {
				if command := strings.TrimSpace(line); !strings.Contains(run, command+"\n") {
					t.Errorf("docs/%s.md: %q stands on no page whose commands are run", reader, command)
				}
			}
		}
	}
}
