package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// requirements is the number of requirements of ASVS 5.0 of level 1 or 2, by chapter.
var requirements = map[string]int{
	"V1": 27, "V2": 11, "V3": 19, "V4": 10, "V5": 9, "V6": 35, "V7": 18, "V8": 7, "V9": 7, "V10": 29, "V11": 14,
	"V12": 9, "V13": 13, "V14": 9, "V15": 13, "V16": 16, "V17": 7,
}

// TestSecurityPage: every test and file that docs/security.md names exists, each row about a requirement says
// whether it is met, and no requirement is missing. So a renamed test or file that the page cites is noticed.
func TestSecurityPage(t *testing.T) {
	content, err := os.ReadFile("../../docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range problemsOf(t, string(content)) {
		t.Error("docs/security.md: ", problem)
	}
}

var (
	quoted    = regexp.MustCompile("`([^`\n]+)`")
	namedTest = regexp.MustCompile(`^([\w./-]+): ((?:Test|Fuzz)\w+(?:, (?:Test|Fuzz)\w+)*)$`)
	looksLike = regexp.MustCompile(`\b(?:Test|Fuzz)[A-Z]\w+`)
	linked    = regexp.MustCompile(`\]\(([^)#]+)\)`)
	fileNamed = regexp.MustCompile(`^\.?[\w-]+(?:/[\w.-]+)+$`)
	rowOf     = regexp.MustCompile(`(?m)^\| (V\d+)(\.\d+\.\d+) \| [^|]+ \| ([a-z ]+) \| ([^|]+) \|$`)
)

func problemsOf(t *testing.T, page string) (problems []string) {
	t.Helper()
	report := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	for _, span := range quoted.FindAllStringSubmatch(page, -1) {
		named := namedTest.FindStringSubmatch(span[1])
		switch {
		case named != nil:
			for name := range strings.SplitSeq(named[2], ", ") {
				if !hasTest(t, named[1], name) {
					report("no test %s in %s", name, named[1])
				}
			}
		case looksLike.MatchString(span[1]):
			report("%s names a test without its folder", span[1])
		case fileNamed.MatchString(span[1]):
			if _, err := os.Stat("../../" + span[1]); err != nil {
				report("no file or folder %s", span[1])
			}
		}
	}
	for _, link := range linked.FindAllStringSubmatch(page, -1) {
		if _, err := os.Stat(filepath.Join("../../docs", link[1])); err != nil {
			report("no page %s", link[1])
		}
	}
	found, seen := make(map[string]int), make(map[string]bool)
	for _, row := range rowOf.FindAllStringSubmatch(page, -1) {
		id, state, where := row[1]+row[2], row[3], row[4]
		found[row[1]]++
		switch {
		case seen[id]:
			report("%s stands there twice", id)
		case state == "tested" && !looksLike.MatchString(where):
			report("%s is tested by no test", id)
		case state == "documented" && !linked.MatchString(where) && !strings.Contains(where, " here") &&
			!strings.Contains(where, "`"):
			report("%s is documented on no page", id)
		case state != "tested" && state != "documented" && state != "not applicable" && state != "deviation":
			report("%s is %q", id, state)
		}
		seen[id] = true
	}
	for chapter, want := range requirements {
		if found[chapter] != want {
			report("%d requirements of %s, want %d", found[chapter], chapter, want)
		}
	}
	return problems
}

// hasTest reports whether a file of the folder contains a test.
func hasTest(t *testing.T, folder, name string) bool {
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
		if strings.Contains(string(content), "\nfunc "+name+"(") {
			return true
		}
	}
	return false
}

// TestSecurityPageIsRead: the check finds each kind of mistake in a page.
func TestSecurityPageIsRead(t *testing.T) {
	var page strings.Builder
	for chapter, count := range requirements {
		for n := range count {
			fmt.Fprintf(&page, "| %s.1.%d | x | not applicable | y |\n", chapter, n)
		}
	}
	whole := page.String()
	if problems := problemsOf(t, whole); len(problems) > 0 {
		t.Errorf("a page without a mistake: %q", problems)
	}
	for mistake, want := range map[string]string{
		"`cmd/narthex: TestOfNothing`":            "no test TestOfNothing in cmd/narthex",
		"`TestSecurityPage`":                      "TestSecurityPage names a test without its folder",
		"`cmd/narthex/nothing.go`":                "no file or folder cmd/narthex/nothing.go",
		"[x](nothing.md)":                         "no page nothing.md",
		"| V1.1.1 | x | not applicable | y |":     "V1.1.1 stands there twice",
		"| V1.9.9 | x | tested | by looking |":    "V1.9.9 is tested by no test",
		"| V1.9.9 | x | fine | y |":               `V1.9.9 is "fine"`,
		"| V1.9.9 | x | not applicable | y |":     "28 requirements of V1, want 27",
		"| V1.9.9 | x | documented | somewhere |": "V1.9.9 is documented on no page",
	} {
		if problems := problemsOf(t, whole+mistake+"\n"); len(problems) == 0 || problems[0] != want {
			t.Errorf("with %s: %q, want first %q", mistake, problems, want)
		}
	}
}
