package icaltest

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// line is a content line without its folds.
type line struct {
	name       string
	parameters map[string]string
	value      string
}

// component is what stands between BEGIN and END.
type component struct {
	kind  string
	lines []line
	parts []*component
}

// all returns the lines of a name.
func (c *component) all(name string) (found []line) {
	for _, l := range c.lines {
		if l.name == name {
			found = append(found, l)
		}
	}
	return found
}

// one returns the value of a name, or "".
func (c *component) one(name string) string {
	if found := c.all(name); len(found) > 0 {
		return found[0].value
	}
	return ""
}

var nameForm = regexp.MustCompile(`^[A-Z0-9-]+$`)

// read unfolds the lines and nests the components; nil if they are not one calendar.
func (c *checker) read(file string) *component {
	if !utf8.ValidString(file) {
		c.note("it is no UTF-8")
	}
	if !strings.HasSuffix(file, "\r\n") {
		c.note("the last line does not end with CRLF")
	}
	var unfolded []string
	for physical := range strings.SplitSeq(strings.TrimSuffix(file, "\r\n"), "\r\n") {
		if len(physical) > 75 {
			c.note("a line has %d octets: %q", len(physical), physical)
		}
		if strings.ContainsFunc(physical, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
			c.note("a line has a control character: %q", physical)
		}
		if rest, folded := strings.CutPrefix(physical, " "); folded && len(unfolded) > 0 {
			unfolded[len(unfolded)-1] += rest
		} else {
			unfolded = append(unfolded, physical)
		}
	}
	var root *component
	var open []*component
	for _, text := range unfolded {
		l, ok := parse(text)
		switch {
		case !ok:
			c.note("no content line: %q", text)
		case l.name == "BEGIN":
			made := &component{kind: l.value}
			if len(open) > 0 {
				open[len(open)-1].parts = append(open[len(open)-1].parts, made)
			} else if root == nil {
				root = made
			} else {
				c.note("%s begins after the end", l.value)
			}
			open = append(open, made)
		case len(open) == 0:
			c.note("outside of the calendar: %q", text)
		case l.name == "END":
			if open[len(open)-1].kind != l.value {
				c.note("%s ends in %s", l.value, open[len(open)-1].kind)
			}
			open = open[:len(open)-1]
		default:
			open[len(open)-1].lines = append(open[len(open)-1].lines, l)
		}
	}
	if len(open) > 0 {
		c.note("%s has no end", open[0].kind)
	}
	if root == nil || root.kind != "VCALENDAR" {
		c.note("it is no VCALENDAR")
		return nil
	}
	return root
}

// parse reads a content line. Values of parameters in quotes may have any character but a quote.
func parse(text string) (l line, ok bool) {
	quoted := false
	end := strings.IndexFunc(text, func(r rune) bool {
		if r == '"' {
			quoted = !quoted
		}
		return r == ':' && !quoted
	})
	if end < 0 {
		return l, false
	}
	head := strings.Split(text[:end], ";")
	l = line{head[0], map[string]string{}, text[end+1:]}
	for _, parameter := range head[1:] {
		name, value, is := strings.Cut(parameter, "=")
		if !is || !nameForm.MatchString(name) || value == "" {
			return l, false
		}
		l.parameters[name] = strings.Trim(value, `"`)
	}
	return l, nameForm.MatchString(l.name)
}
