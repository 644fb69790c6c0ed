package songfile

import (
	"regexp"
	"strings"
)

var (
	isChordPro = regexp.MustCompile(`(?mi)^[ \t]*\{\s*(?:title|t|subtitle|st|artist|composer|lyricist|` +
		`key|capo|new_song|ns|soc|sov|sob|start_of_\w+|comment|c|ci|meta|copyright|ccli)\s*(?::[^}\n]*)?\}`)
	directive  = regexp.MustCompile(`^\{\s*([a-zA-Z_]+)(?:-[\w!]*)?\s*(?:[:\s]\s*(.*?))?\s*\}$`)
	anyBracket = regexp.MustCompile(`\[([^\[\]]{0,40})\]`)
	labelValue = regexp.MustCompile(`^label\s*=\s*"([^"]*)"$`)
)

// proReader reads the lines of ChordPro.
type proReader struct {
	*Reader
	*collector
	file     string
	start    int    // the line on which the song begins
	within   string // the environment: chorus, verse, ...; "": none
	skipping bool   // of tabs and the like
	found    bool
}

func (r *Reader) readChordPro(name, text string) {
	p := &proReader{Reader: r, collector: &collector{}, file: name, start: 1}
	for n, line := range strings.Split(strings.ReplaceAll(text, "\t", " "), "\n") {
		line = strings.TrimSpace(line)
		switch found := directive.FindStringSubmatch(line); {
		case found != nil:
			p.direct(n+1, strings.ToLower(found[1]), found[2])
		case p.skipping, strings.HasPrefix(line, "#"):
		case line == "" && p.within == "":
			if len(p.lines) > 0 || p.has(p.label) { // otherwise it is below a heading
				p.end()
			}
		default:
			if p.take(line) {
				p.line(withKnownChords(line))
			}
		}
	}
	if p.next(0); !p.found {
		r.Problem(name, 1, NoSongs)
	}
}

// next ends the song.
func (p *proReader) next(line int) {
	if !p.isEmpty() {
		if p.song.Title == "" {
			p.song.Title = titleOf(p.file)
		}
		p.Song(p.file, p.start, p.done())
		p.found = true
	}
	*p.collector, p.start, p.within, p.skipping = collector{}, line, "", false
}

// direct obeys a directive. Those that are unknown, such as colours and pictures of chords, change nothing.
func (p *proReader) direct(line int, name, value string) {
	if name == "meta" {
		name, value, _ = strings.Cut(value, " ")
		name = strings.ToLower(name)
	}
	switch name {
	case "new_song", "ns":
		p.next(line + 1)
	case "title", "t":
		if len(p.song.Sections) > 0 || len(p.lines) > 0 {
			p.next(line)
		}
		p.song.Title = strings.TrimSpace(value)
	case "artist", "composer", "lyricist", "arranger":
		add(&p.song.Credit, value)
	case "copyright":
		add(&p.song.Copyright, value)
	case "ccli", "ccli_number", "ccli_song_number":
		p.song.CCLI = strings.TrimSpace(value)
	case "comment", "c", "comment_italic", "ci", "comment_box", "cb", "highlight":
		if label, is := headingOf(value); is {
			p.begin(label)
		}
	case "chorus":
		p.end()
		p.repeat(value)
	case "soc", "start_of_chorus":
		p.enter("chorus", longLabel("c", p.Language), value)
	case "sob", "start_of_bridge":
		p.enter("bridge", longLabel("b", p.Language), value)
	case "sov", "start_of_verse", "sop", "start_of_part":
		p.enter("verse", "", value)
	case "sot", "start_of_tab", "sog", "start_of_grid", "start_of_abc", "start_of_ly", "start_of_svg",
		"start_of_textblock":
		p.skipping = true
	default:
		if strings.HasPrefix(name, "end_of_") || len(name) == 3 && strings.HasPrefix(name, "eo") {
			p.skipping, p.within = false, ""
			p.end()
		}
	}
}

// enter begins a section, whose label may have been a comment on the line above.
func (p *proReader) enter(kind, label, given string) {
	p.within = kind
	if found := labelValue.FindStringSubmatch(given); found != nil {
		given = found[1]
	}
	if given != "" {
		label = strings.TrimSpace(given)
	}
	if p.open && len(p.lines) == 0 && p.label != "" {
		return
	}
	p.begin(label)
}

// repeat sings the chorus again.
func (p *proReader) repeat(label string) {
	if label == "" || !p.has(label) {
		label = longLabel("c", p.Language)
	}
	if p.has(label) {
		p.sequence = append(p.sequence, label)
	}
}

// withKnownChords writes the chords of a line as this package knows them. Notes for musicians are left out.
func withKnownChords(line string) string {
	return anyBracket.ReplaceAllStringFunc(line, func(bracket string) string {
		name := knownChord(bracket[1 : len(bracket)-1])
		if name == "" {
			return ""
		}
		return "[" + name + "]"
	})
}

var germanRoots = strings.NewReplacer("Cis", "C#", "Dis", "D#", "Fis", "F#", "Gis", "G#", "Ais", "A#",
	"Des", "Db", "Ges", "Gb", "Ces", "Cb", "Es", "Eb", "As", "Ab")

// knownChord returns a chord with a large root: German songs write e for Em, and Fis for F#. It returns "" if
// it is no chord.
func knownChord(name string) string {
	name = strings.TrimSpace(name)
	if IsChord(name) {
		return name
	}
	if name == "" {
		return ""
	}
	if large := strings.ToUpper(name[:1]) + name[1:]; large != name {
		large = germanRoots.Replace(large)
		root := 1
		if len(large) > 1 && strings.ContainsAny(large[1:2], "#b") {
			root = 2
		}
		if !strings.HasPrefix(large[root:], "m") {
			large = large[:root] + "m" + large[root:]
		}
		name = large
	}
	if name = germanRoots.Replace(name); IsChord(name) {
		return name
	}
	return ""
}
