package songfile

import (
	"regexp"
	"strings"
)

// A chord has a root, perhaps what kind of chord it is, and perhaps a bass: G, F#m7, B♭, C/E, Dsus4.
const chord = `[A-H](?:#|b|♯|♭)?` +
	`(?:maj|min|dim|aug|sus|add|mi|ma|m|M|[0-9]|\+|-|°|ø|Δ|\([0-9#b+-]{1,4}\)|[#b][0-9]){0,6}` +
	`(?:/[A-H](?:#|b|♯|♭)?)?`

var (
	isChord   = regexp.MustCompile(`^(?:` + chord + `|N\.?C\.?)$`)
	inBracket = regexp.MustCompile(`\[(` + chord + `|N\.?C\.?)\]`)
)

// IsChord reports whether a text is the name of a chord.
func IsChord(name string) bool { return len(name) <= 16 && isChord.MatchString(name) }

// Chorded is a part of a line, and the chord on which it begins; "" for none.
type Chorded struct {
	Chord string
	Words string
}

// Parts divides a line at its chords.
func Parts(line string) (parts []Chorded) {
	last, name := 0, ""
	for _, at := range inBracket.FindAllStringSubmatchIndex(line, -1) {
		if at[0] > last || name != "" {
			parts = append(parts, Chorded{name, line[last:at[0]]})
		}
		last, name = at[1], line[at[2]:at[3]]
	}
	if last < len(line) || name != "" {
		parts = append(parts, Chorded{name, line[last:]})
	}
	return parts
}

// barLines are between the chords of a line, and mean nothing there.
const barLines = "|:%"

// maxChordLine is how many bytes a line of chords has at most.
const maxChordLine = 400

// chordsOf returns the chords of a line that has nothing else, each with its column; nil for other lines.
func chordsOf(line string) (found []chordAt) {
	if len(line) > maxChordLine {
		return nil
	}
	runes := []rune(line)
	for start := 0; start < len(runes); {
		if runes[start] == ' ' {
			start++
			continue
		}
		end := start
		for end < len(runes) && runes[end] != ' ' {
			end++
		}
		word := strings.Trim(string(runes[start:end]), "()[]")
		switch {
		case IsChord(word):
			found = append(found, chordAt{start, word})
		case strings.Trim(word, barLines+"-") != "":
			return nil
		}
		start = end
	}
	return found
}

type chordAt struct {
	column int
	name   string
}

// under puts chords into the line below them.
func under(chords []chordAt, words string) string {
	runes := []rune(words)
	var line strings.Builder
	at := 0
	for _, one := range chords {
		for ; at < one.column; at++ {
			if at < len(runes) {
				line.WriteRune(runes[at])
			} else {
				line.WriteByte(' ')
			}
		}
		line.WriteString("[" + one.name + "]")
	}
	if at < len(runes) {
		line.WriteString(string(runes[at:]))
	}
	return strings.TrimSpace(line.String())
}

// chordsAlone returns a line without words.
func chordsAlone(chords []chordAt) string {
	names := make([]string, len(chords))
	for n, one := range chords {
		names[n] = "[" + one.name + "]"
	}
	return strings.Join(names, " ")
}

// joinChords puts lines that have only chords into the lines of words below them.
func joinChords(lines []string) []string {
	var joined []string
	for n := 0; n < len(lines); n++ {
		chords := chordsOf(lines[n])
		switch {
		case chords == nil:
			joined = append(joined, strings.TrimSpace(lines[n]))
		case n+1 < len(lines) && strings.TrimSpace(lines[n+1]) != "" && chordsOf(lines[n+1]) == nil &&
			!inBracket.MatchString(lines[n+1]):
			n++
			joined = append(joined, under(chords, lines[n]))
		default:
			joined = append(joined, chordsAlone(chords))
		}
	}
	return joined
}
