package browsertest

import (
	"cmp"
	"os"
	"slices"
	"strings"
	"testing"
)

// introductions are what docs/browsers.md says before each of its tables.
var introductions = map[string]string{
	"Screens": `
In each browser a person signs in, opens each page, and writes something where something can be written; a
screen is paired with each display. A browser that is older than what the README promises says so. TestEngines
of web/browsertest sees it.

`,
	"Situations": `
What happens in a browser's everyday life. TestSituations of web/browsertest sees it.

`,
}

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

// section returns a section of docs/browsers.md without its heading.
func (b *browserTable) section(heading string) string {
	var section strings.Builder
	section.WriteString(introductions[heading])
	section.WriteString("| " + strings.TrimSuffix(heading, "s") + " | " + strings.Join(b.browsers, " | ") +
		" |\n|---" + strings.Repeat("|---", len(b.browsers)) + "|\n")
	for _, screen := range b.screens {
		section.WriteString("| " + screen)
		for _, browser := range b.browsers {
			section.WriteString(" | " + cmp.Or(b.results[[2]string{screen, browser}], "not tried"))
		}
		section.WriteString(" |\n")
	}
	return section.String()
}

// compare compares a section of docs/browsers.md with what was seen, or writes it.
func (b *browserTable) compare(t *testing.T, heading string) {
	t.Helper()
	const path = "../../docs/browsers.md"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	begin := "\n## " + heading + "\n"
	before, rest, found := strings.Cut(string(page), begin)
	if !found {
		t.Fatalf("docs/browsers.md has no section %s", heading)
	}
	section, after, more := strings.Cut(rest, "\n## ")
	want := b.section(heading)
	if section == strings.TrimSuffix(want, "\n") || section == want {
		return
	}
	if os.Getenv("REFERENCE") != "write" {
		t.Fatalf("docs/browsers.md says something else than\n%s", want)
	}
	if more {
		after = "\n## " + after
	}
	if err := os.WriteFile(path, []byte(before+begin+want+after), 0o644); err != nil {
		t.Error(err)
	}
}
