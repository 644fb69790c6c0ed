package browsertest

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

const introduction = `# Browsers

What "make proof" has seen to work, with the real daemon and its sample modules: in each browser a person
signs in, opens each page, and writes something where something can be written; a screen is paired with each
display. A browser that is older than what the README promises says so. TestEngines of web/browsertest
compares this page with what it sees ("REFERENCE=write" writes it).

`

// browserTable is which browser worked on which screen.
type browserTable struct {
	screens  []string
	browsers []string
	results  map[[2]string]string // by screen and browser
}

// note keeps what came of a screen in a browser.
func (b *browserTable) note(screen, browser, result string) {
	if !slices.Contains(b.screens, screen) {
		b.screens = append(b.screens, screen)
	}
	if !slices.Contains(b.browsers, browser) {
		b.browsers = append(b.browsers, browser)
	}
	if b.results == nil {
		b.results = map[[2]string]string{}
	}
	b.results[[2]string{screen, browser}] = result
}

// page returns docs/browsers.md.
func (b *browserTable) page() string {
	var page strings.Builder
	page.WriteString(introduction)
	page.WriteString("| Screen | " + strings.Join(b.browsers, " | ") + " |\n|---" +
		strings.Repeat("|---", len(b.browsers)) + "|\n")
	for _, screen := range b.screens {
		page.WriteString("| " + screen)
		for _, browser := range b.browsers {
			result := b.results[[2]string{screen, browser}]
			if result == "" {
				result = "not tried"
			}
			page.WriteString(" | " + result)
		}
		page.WriteString(" |\n")
	}
	return page.String()
}

// compare compares docs/browsers.md with what was seen, or writes it.
func (b *browserTable) compare(t *testing.T) {
	t.Helper()
	const path = "../../docs/browsers.md"
	if os.Getenv("REFERENCE") == "write" {
		if err := os.WriteFile(path, []byte(b.page()), 0o644); err != nil {
			t.Error(err)
		}
		return
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != b.page() {
		t.Error(fmt.Errorf("docs/browsers.md says something else than (error %w)\n%s", err, b.page()))
	}
}
