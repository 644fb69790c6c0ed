package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestMutationsCanBeMade: each text is where it was, so that a changed source changes its mutation, too.
func TestMutationsCanBeMade(t *testing.T) {
	const root = "../../.."
	mutations, err := readLists()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range mutations {
		content, err := os.ReadFile(filepath.Join(root, m.file))
		if err != nil {
			t.Error(err)
			continue
		}
		if _, err := m.apply(string(content)); err != nil {
			t.Errorf("%s: %s: %v", m.file, m.breaks, err)
		}
		if len(m.tests) == 0 {
			t.Errorf("%s: %s: no tests, want some", m.file, m.breaks)
		}
		for _, c := range m.tests {
			if found, _ := filepath.Glob(filepath.Join(root, c.pkg, "*_test.go")); len(found) == 0 {
				t.Errorf("%s: %s: %s has no tests", m.file, m.breaks, c.pkg)
			}
		}
	}
}

func TestParse(t *testing.T) {
	mutations, err := parse("a/b.go: all may read\n kept\n-old\n+new\n-more\n" +
		"test -race ./a TestX\ntest ./b\n\n" + "c.ts: second\n-x\ntest ./c\n")
	if err != nil || len(mutations) != 2 {
		t.Fatalf("%d mutations, error %v; want 2 and none", len(mutations), err)
	}
	m, tests := mutations[0], []command{{true, "./a", "^(TestX)$"}, {pkg: "./b"}}
	if m.file != "a/b.go" || m.breaks != "all may read" || m.old != "kept\nold\nmore\n" ||
		m.new != "kept\nnew\n" || !slices.Equal(m.tests, tests) {
		t.Errorf("the first mutation is %+v", m)
	}
	for _, content := range []string{"nothing", "kept\nold\nmore\nkept\nold\nmore\n"} {
		if _, err := m.apply(content); err == nil {
			t.Errorf("apply to %q: no error, want one", content)
		}
	}
	if changed, err := m.apply("0\nkept\nold\nmore\n1\n"); changed != "0\nkept\nnew\n1\n" || err != nil {
		t.Errorf("apply: %q, error %v", changed, err)
	}
	for _, bad := range []string{"no colon\n", "a: b\n-x\ntest\n", "a: b\n-x\nrun ./a\n"} {
		if _, err := parse(bad); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("parse(%q): error %v, want one of one line", bad, err)
		}
	}
}
