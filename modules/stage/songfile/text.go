package songfile

import (
	"path"
	"regexp"
	"strings"
)

var songBreak = regexp.MustCompile(`^\s*-{3,}\s*$`)

// readText reads plain text and the text of SongSelect: the title, perhaps the author in brackets, and
// sections between empty lines, with or without headings. Three hyphens separate two songs.
func (r *Reader) readText(name, text string) {
	lines := strings.Split(strings.ReplaceAll(text, "\t", "    "), "\n")
	start, found := 0, false
	for n := 0; n <= len(lines); n++ {
		if n < len(lines) && !songBreak.MatchString(lines[n]) {
			continue
		}
		if block := lines[start:n]; strings.TrimSpace(strings.Join(block, "")) != "" {
			r.Song(name, start+1, songOf(name, block))
			found = true
		}
		start = n + 1
	}
	if !found {
		r.Problem(name, 1, NoSongs)
	}
}

// songOf reads one song. It has at least one line that is not empty.
func songOf(name string, lines []string) Song {
	c := &collector{}
	for strings.TrimSpace(lines[0]) == "" {
		lines = lines[1:]
	}
	lines = lines[:min(len(lines), maxSongLines)]
	if _, is := headingOf(lines[0]); is && name != "" {
		c.song.Title = titleOf(name)
	} else {
		c.song.Title, lines = strings.TrimSpace(lines[0]), lines[1:]
	}
	if len(lines) > 0 {
		if second := strings.TrimSpace(lines[0]); strings.HasPrefix(second, "(") && strings.HasSuffix(second, ")") {
			c.song.Credit, lines = strings.Trim(second, "()"), lines[1:]
		}
	}
	for _, paragraph := range paragraphs(lines) {
		if footer(c, paragraph) {
			break
		}
		c.paragraph(paragraph)
	}
	return c.done()
}

// titleOf makes a title of a file's name.
func titleOf(name string) string {
	base := path.Base(name)
	return strings.TrimSpace(strings.TrimSuffix(base, path.Ext(base)))
}

func paragraphs(lines []string) (all [][]string) {
	var now []string
	for _, line := range append(lines, "") {
		if strings.TrimSpace(line) != "" {
			now = append(now, line)
			continue
		}
		if now != nil {
			all, now = append(all, now), nil
		}
	}
	return all
}

// footer takes what stands below a song of SongSelect, from the line with its number at CCLI on, and the
// authors above this line. It reports whether the paragraph has such a line; nothing below is sung.
func footer(c *collector, lines []string) bool {
	at := -1
	for n, line := range lines {
		if what, _ := creditOf(line); what == number || what == licence {
			at = n
			break
		}
	}
	if at < 0 {
		return false
	}
	_, headed := headingOf(lines[0])
	if above := lines[:at]; headed || at > 2 || len(c.song.Sections) == 0 && !c.open {
		c.paragraph(above)
	} else {
		for _, line := range above {
			if c.take(line) {
				add(&c.song.Credit, line)
			}
		}
	}
	for n, line := range lines[at:] {
		if c.take(line) && n < 3 {
			add(&c.song.Credit, line)
		}
	}
	return true
}

// paragraph reads lines without an empty one between them.
func (c *collector) paragraph(lines []string) {
	if len(lines) == 0 {
		return
	}
	label, headed := headingOf(lines[0])
	waits := c.open && len(c.lines) == 0 && !c.has(c.label) // a heading above an empty line
	switch number, rest := numberOf(lines); {
	case headed:
		c.begin(label)
		lines = lines[1:]
	case waits:
	case number != "":
		c.begin(number)
		lines = rest
	default:
		c.begin("")
	}
	var words []string
	end := func() {
		for _, line := range joinChords(words) {
			if c.take(line) {
				c.line(line)
			}
		}
		words = nil
	}
	for _, line := range lines {
		// In the middle of a paragraph a word alone, such as "Part", can be sung.
		if label, is := headingOf(line); is && strings.ContainsAny(line, "[:") {
			end()
			c.begin(label)
			continue
		}
		words = append(words, line)
	}
	end()
}

// numberOf returns the number with which a paragraph begins, and its other words: "1. Amazing grace", or a
// line "1".
func numberOf(lines []string) (number string, rest []string) {
	if found := numbered.FindStringSubmatch(strings.TrimSpace(lines[0])); found != nil {
		return found[1], append([]string{found[2]}, lines[1:]...)
	}
	if found := numberAlone.FindStringSubmatch(strings.TrimSpace(lines[0])); found != nil && len(lines) > 1 {
		return found[1], lines[1:]
	}
	return "", nil
}
