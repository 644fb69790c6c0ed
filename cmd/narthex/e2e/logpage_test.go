package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestLogPage compares docs/operations/log.md with the lines that the platform logs, in both directions.
func TestLogPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join(repository, "docs/operations/log.md"))
	if err != nil {
		t.Fatal(err)
	}
	explained := map[string]bool{}
	for _, row := range regexp.MustCompile("(?m)^\\| (`.*?`) \\|").FindAllStringSubmatch(string(page), -1) {
		for name := range strings.SplitSeq(row[1], "`, `") {
			explained[strings.Trim(name, "`")] = true
		}
	}
	for _, field := range []string{"level", "time", "msg", "code", "request_id", "module", "count"} {
		delete(explained, field) // its rows are in the first table, of fields
	}
	lines := regexp.MustCompile(`\.(?:Info|Warn|Error)\("([a-z][^"]*)"|` + // zap's own methods
		`(?:zap\.\w+Level|level|zapLevel\(.*\)), "([a-z][^"]*)"|` + // functions with a level argument
		`logLine\{"([^"]*)"`)
	written := map[string]bool{}
	for _, folder := range []string{"cmd/narthex", "mail", "migrations", "modulehost", "realtime", "services",
		"storage", "supervisor"} {
		for _, source := range sourcesBelow(t, filepath.Join(repository, folder)) {
			for _, match := range lines.FindAllStringSubmatch(source, -1) {
				written[match[1]+match[2]+match[3]] = true
			}
		}
	}
	for line := range written {
		if !explained[line] {
			t.Errorf("log.md does not explain %q", line)
		}
	}
	for line := range explained {
		if !written[line] {
			t.Errorf("log.md explains %q, which nothing writes", line)
		}
	}
}

// sourcesBelow returns the sources of the platform in production: no tests, no development code and no SDK.
func sourcesBelow(t *testing.T, folder string) (sources []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		name := entry.Name()
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (slices.Contains([]string{"testdata", "dev", "sdk"}, name) ||
			strings.HasSuffix(name, "test")):
			return filepath.SkipDir
		case !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		source, err := os.ReadFile(path)
		sources = append(sources, string(source))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return sources
}
