package songfile

import (
	"strings"
)

// openLyrics reads a song of OpenLyrics (openlyrics.org), versions 0.7 to 0.9.
func (r *Reader) openLyrics(file string, song *node) Song {
	c := &collector{}
	about := song.first("properties")
	if title := about.first("titles", "title"); title != nil {
		c.song.Title = title.line()
	}
	if c.song.Title == "" {
		c.song.Title = titleOf(file)
	}
	for _, one := range about.first("authors").all("author") {
		add(&c.song.Credit, one.line())
	}
	c.song.Copyright = about.first("copyright").line()
	c.song.CCLI = about.first("ccliNo").line()
	lyrics := song.first("lyrics")
	language := r.Language
	labels := map[string]string{} // by the names of the file
	main := ""                    // the language of the first verse
	for n, verse := range lyrics.all("verse") {
		name, spoken := verse.attrs["name"], verse.attrs["lang"]
		if n == 0 {
			main = spoken
		}
		label := longLabel(name, language)
		if spoken != main {
			label += " (" + spoken + ")"
		} else if _, known := labels[name]; !known {
			labels[name] = label
		}
		c.begin(label)
		for _, lines := range verse.all("lines") {
			for _, line := range linesOf(lines) {
				c.line(line)
			}
		}
	}
	c.end()
	if order := strings.Fields(about.first("verseOrder").line()); len(order) > 0 {
		c.ordered = true
		for _, name := range order {
			c.song.Order = append(c.song.Order, labels[name])
		}
	}
	return c.done()
}

// linesOf returns the lines of an element, which are separated by line breaks or are elements.
func linesOf(lines *node) []string {
	var text strings.Builder
	writeLines(&text, lines)
	var all []string
	for line := range strings.SplitSeq(text.String(), "\n") {
		all = append(all, strings.Join(strings.Fields(line), " "))
	}
	return all
}

func writeLines(text *strings.Builder, n *node) {
	for _, one := range n.kids {
		switch one.name {
		case "":
			text.WriteString(strings.NewReplacer("\n", " ", "[", "(", "]", ")").Replace(one.text))
		case "br":
			text.WriteByte('\n')
		case "line":
			writeLines(text, one)
			text.WriteByte('\n')
		case "chord":
			if name := chordOf(one.attrs); name != "" {
				text.WriteString("[" + name + "]")
			}
			writeLines(text, one)
		case "comment", "instrument":
		default: // a format, such as italics
			writeLines(text, one)
		}
	}
}

// structures are the kinds of chords in version 0.9 that musicians write otherwise.
var structures = strings.NewReplacer("minmaj", "mmaj", "min", "m", "dom", "", "power", "5",
	"halfdim", "ø", "augmented", "aug")

// chordOf returns the chord of an element: its name, or in version 0.9 its root, structure and bass.
func chordOf(attrs map[string]string) string {
	if name := attrs["name"]; name != "" {
		return knownChord(name)
	}
	name := attrs["root"] + structures.Replace(attrs["structure"])
	if bass := attrs["bass"]; bass != "" {
		name += "/" + bass
	}
	return knownChord(name)
}
