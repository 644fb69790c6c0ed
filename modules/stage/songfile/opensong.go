package songfile

import (
	"slices"
	"strings"
)

// openSong reads a song of OpenSong. The first character of a line says what the line is: a dot is before
// chords, a blank before words, a digit before the words of the verse with this number.
func (r *Reader) openSong(file string, song *node) Song {
	c := &collector{}
	c.song.Title = song.first("title").line()
	if c.song.Title == "" {
		c.song.Title = titleOf(file)
	}
	add(&c.song.Credit, song.first("author").line())
	add(&c.song.Copyright, song.first("copyright").line())
	c.song.CCLI = song.first("ccli").line()
	var all []*openSection
	var now *openSection
	for line := range strings.SplitSeq(strings.ReplaceAll(song.first("lyrics").words(), "\t", "    "), "\n") {
		first, rest := byte(' '), ""
		if line != "" {
			first, rest = line[0], line[1:]
		}
		switch {
		case first == '[':
			name, _, _ := strings.Cut(rest, "]")
			now = &openSection{name: strings.TrimSpace(name)}
			all = append(all, now)
			continue
		case first == ';', first == '-':
			continue
		case strings.TrimSpace(line) == "" && now != nil && now.name == "" && len(now.lines) > 0:
			now = nil // without headings, an empty line is between two sections
			continue
		}
		if now == nil {
			now = &openSection{}
			all = append(all, now)
		}
		if first != '.' && first != ' ' && (first < '1' || first > '9') {
			first, rest = ' ', line
		}
		now.lines = append(now.lines, openLine{first, rest})
	}
	labels := map[string]string{}
	for _, one := range all {
		one.into(c, r.Language, labels)
	}
	c.end()
	if order := strings.Fields(song.first("presentation").line()); len(order) > 0 {
		c.ordered = true
		for _, name := range order {
			c.song.Order = append(c.song.Order, labels[strings.ToUpper(name)])
		}
	}
	return c.done()
}

type openLine struct {
	kind byte
	text string
}

// openSection has the lines below one heading, perhaps of several verses with the same chords.
type openSection struct {
	name  string
	lines []openLine
}

func (s *openSection) into(c *collector, language string, labels map[string]string) {
	kinds := []byte{}
	for _, line := range s.lines {
		if line.kind >= '1' && line.kind <= '9' && !slices.Contains(kinds, line.kind) {
			kinds = append(kinds, line.kind)
		}
	}
	slices.Sort(kinds)
	if len(kinds) == 0 {
		kinds = []byte{' '}
	}
	for _, kind := range kinds {
		name := s.name
		if kind != ' ' {
			name = strings.TrimRight(name, "0123456789") + string(kind)
			if s.name == "" {
				name = "V" + string(kind)
			}
		}
		label := longLabel(name, language)
		if name != "" {
			labels[strings.ToUpper(name)] = label
		}
		c.begin(label)
		s.verse(c, kind)
	}
}

// verse adds the lines of one verse.
func (s *openSection) verse(c *collector, kind byte) {
	var chords []chordAt
	for _, line := range s.lines {
		switch {
		case line.kind == '.':
			if chords != nil {
				c.line(chordsAlone(chords))
			}
			chords = openChords(line.text)
		case line.kind == kind, line.kind == ' ' && kind != ' ':
			text := line.text
			if chords != nil {
				text = under(chords, text)
				if kind == ' ' {
					chords = nil
				}
			}
			for part := range strings.SplitSeq(strings.ReplaceAll(text, "||", "|"), "|") {
				c.line(strings.Join(strings.Fields(strings.ReplaceAll(part, "_", "")), " "))
			}
		}
	}
	if chords != nil && kind == ' ' {
		c.line(chordsAlone(chords))
	}
}

// openChords returns the chords of a line that is said to have them, with their columns.
func openChords(line string) (found []chordAt) {
	if len(line) > maxChordLine {
		return nil
	}
	runes := []rune(line)
	for start := 0; start < len(runes); start++ {
		if runes[start] == ' ' {
			continue
		}
		end := start
		for end < len(runes) && runes[end] != ' ' {
			end++
		}
		if name := knownChord(string(runes[start:end])); name != "" {
			found = append(found, chordAt{start, name})
		}
		start = end
	}
	return found
}
