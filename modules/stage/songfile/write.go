package songfile

import (
	"encoding/xml"
	"fmt"
	"strings"
)

// ChordPro writes a song as ChordPro.
func ChordPro(song Song) string {
	var text strings.Builder
	tell := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&text, "{%s: %s}\n", name, strings.NewReplacer("{", "(", "}", ")").Replace(value))
		}
	}
	tell("title", song.Title)
	tell("lyricist", song.Credit)
	tell("copyright", song.Copyright)
	tell("ccli", song.CCLI)
	known := map[string]Section{}
	for _, one := range song.Sections {
		known[one.Label] = one
	}
	order := song.Order
	if len(order) == 0 {
		for _, one := range song.Sections {
			order = append(order, one.Label)
		}
	}
	written := map[string]bool{}
	write := func(one Section) {
		name, _ := short(one.Label)
		kind := map[string]string{"c": "chorus", "b": "bridge"}[name[:min(1, len(name))]]
		if kind == "" {
			kind = "verse"
		}
		fmt.Fprintf(&text, "\n{start_of_%s: %s}\n%s\n{end_of_%s}\n", kind, one.Label, one.Text, kind)
		written[one.Label] = true
	}
	for _, label := range order {
		one, found := known[label]
		switch {
		case !found:
		case written[label]:
			fmt.Fprintf(&text, "\n{chorus: %s}\n", label)
		default:
			write(one)
		}
	}
	for _, one := range song.Sections { // those that are not sung stay in the file
		if !written[one.Label] {
			write(one)
		}
	}
	return text.String()
}

// OpenLyrics writes a song as OpenLyrics 0.8.
func OpenLyrics(song Song) string {
	var text strings.Builder
	text.WriteString(xml.Header + `<song xmlns="http://openlyrics.info/namespace/2009/song" version="0.8"` +
		` createdIn="Narthex">` + "\n  <properties>\n")
	fmt.Fprintf(&text, "    <titles><title>%s</title></titles>\n", escaped(song.Title))
	tell := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&text, "    <%s>%s</%s>\n", name, escaped(value), name)
		}
	}
	tell("copyright", song.Copyright)
	tell("ccliNo", song.CCLI)
	names := verseNames(song.Sections)
	order := make([]string, len(song.Order))
	for n, label := range song.Order {
		order[n] = names[label]
	}
	tell("verseOrder", strings.Join(order, " "))
	if song.Credit != "" {
		fmt.Fprintf(&text, "    <authors><author>%s</author></authors>\n", escaped(song.Credit))
	}
	text.WriteString("  </properties>\n  <lyrics>\n")
	for _, one := range song.Sections {
		fmt.Fprintf(&text, "    <verse name=\"%s\">\n      <lines>", escaped(names[one.Label]))
		for n, line := range strings.Split(one.Text, "\n") {
			if n > 0 {
				text.WriteString("<br/>")
			}
			for _, part := range Parts(line) {
				if part.Chord != "" {
					fmt.Fprintf(&text, `<chord name="%s"/>`, escaped(part.Chord))
				}
				text.WriteString(escaped(part.Words))
			}
		}
		text.WriteString("</lines>\n    </verse>\n")
	}
	text.WriteString("  </lyrics>\n</song>\n")
	return text.String()
}

func escaped(text string) string {
	var out strings.Builder
	_ = xml.EscapeText(&out, []byte(text))
	return out.String()
}

// verseNames returns a name for each label, each only once.
func verseNames(sections []Section) map[string]string {
	names, used := map[string]string{}, map[string]bool{}
	for n, one := range sections {
		name, ok := short(one.Label)
		if !ok || used[name] {
			name = strings.Map(func(r rune) rune {
				if r == ' ' {
					return -1
				}
				return r
			}, one.Label)
		}
		if name == "" || used[name] {
			name = fmt.Sprintf("o%d", n+1)
		}
		names[one.Label], used[name] = name, true
	}
	return names
}
