package main

import (
	"embed"
	"fmt"
	"io/fs"
	"iter"
	"strings"
)

// mutation is one change of a file.
type mutation struct {
	file     string
	breaks   string // what no longer holds
	old, new string
	tests    []command // those that should fail
}

// command is one "go test".
type command struct {
	race    bool
	pkg     string // its folder
	pattern string // of tests, or ""
}

//go:embed list/*.txt
var lists embed.FS

func readLists() (all []mutation, err error) {
	entries, err := fs.ReadDir(lists, "list")
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		text, err := fs.ReadFile(lists, "list/"+entry.Name())
		if err != nil {
			return nil, err
		}
		mutations, err := parse(string(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", entry.Name(), err)
		}
		all = append(all, mutations...)
	}
	return all, nil
}

// parse reads a list. A mutation is a block such as this one; lines that begin with a space are kept:
//
//	services/people/account.go: anybody may erase an account
//	 	person := c.Caller()
//	-	if !person.May(erase) {
//	+	if false {
//	test -race ./services/people TestErase
//
// "-race" stands for a package that make test runs with the race detector; the tests' names may be left out.
func parse(text string) (mutations []mutation, err error) {
	for line := range strings.Lines(text) {
		kind, rest, m := line[0], line[1:], (*mutation)(nil)
		if len(mutations) > 0 {
			m = &mutations[len(mutations)-1]
		}
		switch {
		case kind == '\n' || kind == '#':
		case m == nil || len(m.tests) > 0 && !strings.HasPrefix(line, "test "):
			file, breaks, found := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
			if !found {
				return nil, fmt.Errorf("%q is no \"file: what no longer holds\"", line)
			}
			mutations = append(mutations, mutation{file: file, breaks: breaks})
		case kind == ' ':
			m.old, m.new = m.old+rest, m.new+rest
		case kind == '-':
			m.old += rest
		case kind == '+':
			m.new += rest
		default:
			var c command
			words := strings.Fields(line)[1:]
			if len(words) > 0 && words[0] == "-race" {
				c.race, words = true, words[1:]
			}
			if !strings.HasPrefix(line, "test ") || len(words) == 0 || len(words) > 2 {
				return nil, fmt.Errorf("%q is no \"test [-race] package [name]\"", line)
			}
			if c.pkg = words[0]; len(words) == 2 {
				c.pattern = "^(" + words[1] + ")$"
			}
			m.tests = append(m.tests, c)
		}
	}
	return mutations, nil
}

// apply returns the changed content of the file.
func (m mutation) apply(content string) (string, error) {
	if n := strings.Count(content, m.old); n != 1 || m.old == m.new {
		return "", fmt.Errorf("the text to change occurs %d times, want once, and a change of it", n)
	}
	return strings.Replace(content, m.old, m.new, 1), nil
}

// splitZero returns the strings of a list in which each ends with a zero byte.
func splitZero(text string) iter.Seq[string] {
	return strings.SplitSeq(strings.TrimSuffix(text, "\x00"), "\x00")
}
