package songfile

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// What is more than any song has is left out, so that a hostile file costs little.
const (
	maxSections  = 500 // with those that are repeated
	maxCredit    = 2000
	maxSongLines = 3000
)

// collector puts a song together: its sections, and the order in which they are sung.
type collector struct {
	song     Song
	label    string
	lines    []string
	open     bool // a section has begun
	sequence []string
	unnamed  int
	ordered  bool // the file says the order; otherwise it is that in which the sections come
}

// begin ends the section before, and begins one with this label. Without a label it gets a number.
func (c *collector) begin(label string) {
	c.end()
	c.label, c.open = label, true
}

func (c *collector) line(words string) {
	if c.open = true; len(c.lines) > maxSongLines {
		return
	}
	c.lines = append(c.lines, words)
}

// end adds the section. A label without words repeats the section of this label.
func (c *collector) end() {
	label, text := c.label, strings.TrimSpace(joinLines(c.lines))
	opened := c.open
	c.label, c.lines, c.open = "", nil, false
	if !opened || len(c.sequence) > maxSections {
		return
	}
	if text == "" {
		if label != "" && c.has(label) {
			c.sequence = append(c.sequence, label)
		}
		return
	}
	if label == "" {
		c.unnamed++
		label = strconv.Itoa(c.unnamed)
	}
	for n := 2; c.has(label); n++ {
		if c.textOf(label) == text {
			c.sequence = append(c.sequence, label)
			return
		}
		label = fmt.Sprintf("%s (%d)", strings.TrimSuffix(label, fmt.Sprintf(" (%d)", n-1)), n)
	}
	c.song.Sections = append(c.song.Sections, Section{label, text})
	c.sequence = append(c.sequence, label)
}

// joinLines leaves out empty lines, because in a song they are between sections.
func joinLines(lines []string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(lines), func(line string) bool {
		return strings.TrimSpace(line) == ""
	}), "\n")
}

func (c *collector) has(label string) bool {
	return slices.ContainsFunc(c.song.Sections, func(s Section) bool { return s.Label == label })
}

func (c *collector) textOf(label string) string {
	at := slices.IndexFunc(c.song.Sections, func(s Section) bool { return s.Label == label })
	return c.song.Sections[at].Text
}

// done returns the song. Its order is empty if it is that of the sections.
func (c *collector) done() Song {
	c.end()
	if !c.ordered {
		c.song.Order = c.sequence
	}
	c.song.Order = slices.DeleteFunc(c.song.Order, func(label string) bool { return !c.has(label) })
	if slices.EqualFunc(c.song.Order, c.song.Sections, func(label string, s Section) bool {
		return label == s.Label
	}) || len(c.song.Order) == 0 {
		c.song.Order = nil
	}
	return c.song
}

func (c *collector) isEmpty() bool {
	return c.song.Title == "" && len(c.song.Sections) == 0 && len(c.lines) == 0
}

// add appends to a text of the song, such as its authors.
func add(text *string, more string) {
	more = strings.Join(strings.Fields(more), " ")
	switch {
	case more == "" || strings.Contains(*text, more) || len(*text) > maxCredit:
	case *text == "":
		*text = more
	default:
		*text += "; " + more
	}
}
