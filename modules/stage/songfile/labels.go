package songfile

import (
	"regexp"
	"strings"
)

// letters are the short names of sections, in OpenLyrics and in OpenSong, with their words.
var letters = map[string]struct{ english, german string }{
	"v": {"Verse", "Strophe"},
	"c": {"Chorus", "Refrain"},
	"p": {"Pre-Chorus", "Pre-Chorus"},
	"b": {"Bridge", "Bridge"},
	"e": {"Ending", "Schluss"},
	"i": {"Intro", "Intro"},
	"t": {"Tag", "Tag"},
	"o": {"Other", "Weiteres"},
	"m": {"Interlude", "Zwischenspiel"},
}

var shortLabel = regexp.MustCompile(`^([a-z])\s*([0-9]*)\s*([a-z]?)$`)

// longLabel returns the words of a short name: "Verse 1a" of v1a. Other names stay.
func longLabel(short, language string) string {
	found := shortLabel.FindStringSubmatch(strings.ToLower(strings.TrimSpace(short)))
	if found == nil {
		return strings.TrimSpace(short)
	}
	words, known := letters[found[1]]
	if !known {
		return strings.TrimSpace(short)
	}
	word := words.english
	if language == "de" {
		word = words.german
	}
	return strings.TrimSpace(word + " " + found[2] + found[3])
}

var headingWords = `verse|vers|strophe|stanza|couplet|estrofa|chorus|refrain|kehrvers|` +
	`coro|estribillo|pre-?chorus|prechorus|` +
	`vor-?refrain|bridge|brücke|puente|tag|ending|schluss|intro|outro|coda|interlude|` +
	`zwischenspiel|instrumental|misc|` +
	`vamp|antiphon|part|teil|slide|folie|rap|spoken|turnaround`

var (
	headingWord = regexp.MustCompile(`(?i)^(?:` + headingWords + `)(?:\s*\d{1,2}[a-z]?)?` +
		`(?:\s*\(?[x×]?\s*\d{0,2}[x×]?\)?)?$`)
	numberFirst = regexp.MustCompile(`(?i)^(\d{1,2})\.\s*(?:` + headingWords + `)$`)
	inSquare    = regexp.MustCompile(`^\[([^\[\]]{1,60})\]:?$`)
	numbered    = regexp.MustCompile(`^(\d{1,2})\s*[.)]\s+(\S.*)$`)
	numberAlone = regexp.MustCompile(`^(\d{1,2})\s*[.):]?$`)
)

// headingOf returns the label if a line is a heading: "[Chorus]", "Chorus:", "Chorus" or "2. Strophe". A line
// that ends with a colon is only one if it is such a word, because people also sing colons.
func headingOf(line string) (string, bool) {
	line = strings.TrimSpace(line)
	if found := inSquare.FindStringSubmatch(line); found != nil && !IsChord(found[1]) {
		return strings.TrimSpace(found[1]), true
	}
	bare := strings.TrimSpace(strings.TrimSuffix(line, ":"))
	if headingWord.MatchString(bare) || numberFirst.MatchString(bare) {
		return bare, true
	}
	return "", false
}

// short returns the name in OpenLyrics of a label: v1 for "Verse 1". ok is false for other labels.
func short(label string) (name string, ok bool) {
	word, rest, _ := strings.Cut(label, " ")
	for letter, words := range letters {
		if strings.EqualFold(word, words.english) || strings.EqualFold(word, words.german) {
			name = letter + strings.ToLower(rest)
			return name, shortLabel.MatchString(name) && !strings.Contains(name, " ")
		}
	}
	return "", false
}
