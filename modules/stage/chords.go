package main

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/narthex-platform/narthex/modules/stage/songfile"
)

// maxChords is how many chords a line of a screen has at most, so that a step fits into a message.
const (
	maxChords        = 12
	mostBytesOfChord = 48
)

// placedChord is a chord above the letter of a line at which it begins: At is the number of letters before.
type placedChord struct {
	At    int    `json:"at"`
	Chord string `json:"chord"`
}

// chordedLine is a line of a screen with its chords.
type chordedLine struct {
	words  string
	chords []placedChord
}

// transposer writes the chords as they are played: higher by the item's semitones, and lower by its capo.
func (w *words) transposer() *songfile.Transposer {
	texts := make([]string, len(w.Sections))
	for n, one := range w.Sections {
		texts[n] = one.Text
	}
	return songfile.NewTransposer(texts, int(w.Transpose-w.Capo))
}

// chordedScreenLines returns the lines of a screen.
func chordedScreenLines(text string, transposer *songfile.Transposer) []chordedLine {
	var all []chordedLine
	for _, line := range chordedLines(text, transposer) {
		all = append(all, broken(line.words, line.chords)...)
	}
	for n := range all {
		all[n].chords = all[n].chords[:min(len(all[n].chords), maxChords)]
	}
	return all
}

// chordedLines returns the lines of a text. Chords without words belong to the line before, or else to the
// next one.
func chordedLines(text string, transposer *songfile.Transposer) (all []chordedLine) {
	var loose []placedChord
	for line := range strings.Lines(text) {
		words, chords := strings.TrimSpace(line), []placedChord(nil)
		if transposer != nil {
			words, chords = takeChords(line, transposer)
		}
		if words == "" {
			if last := len(all) - 1; last >= 0 {
				for _, one := range chords {
					at := utf8.RuneCountInString(all[last].words)
					all[last].chords = append(all[last].chords, placedChord{at, one.Chord})
				}
			} else {
				loose = append(loose, chords...)
			}
			continue
		}
		chords, loose = slices.Concat(loose, chords), nil
		all = append(all, chordedLine{words, chords})
	}
	return all
}

// takeChords returns the words of a line without its chords, and the chords.
func takeChords(line string, transposer *songfile.Transposer) (string, []placedChord) {
	var words strings.Builder
	var chords []placedChord
	count := 0
	for _, part := range songfile.Parts(strings.TrimSpace(line)) {
		if part.Chord != "" && songfile.IsChord(part.Chord) { // a longer one is none
			chords = append(chords, placedChord{count, transposer.Chord(part.Chord)})
		}
		for _, r := range part.Words {
			// Several spaces only made room for the chords.
			if r == ' ' && (count == 0 || strings.HasSuffix(words.String(), " ")) {
				continue
			}
			words.WriteRune(r)
			count++
		}
	}
	plain := strings.TrimSpace(words.String())
	for n := range chords {
		chords[n].At = min(chords[n].At, utf8.RuneCountInString(plain))
	}
	return plain, chords
}

// broken breaks a line that is too long, and gives each part its chords.
func broken(words string, chords []placedChord) []chordedLine {
	parts := screenLinesOf(words)
	all := make([]chordedLine, len(parts))
	rest, start := []rune(words), 0
	for n, part := range parts {
		length := utf8.RuneCountInString(part)
		end := start + length
		if end < len(rest) && rest[end] == ' ' {
			end++
		}
		last := n == len(parts)-1
		for len(chords) > 0 && (chords[0].At < end || last) {
			at := min(max(chords[0].At-start, 0), length)
			all[n].chords = append(all[n].chords, placedChord{at, chords[0].Chord})
			chords = chords[1:]
		}
		all[n].words, start = part, end
	}
	return all
}

func stepOf(label string, lines []chordedLine) step {
	one := step{Label: label, Lines: make([]string, len(lines))}
	for n, line := range lines {
		one.Lines[n] = line.words
		if len(line.chords) > 0 && one.Chords == nil {
			one.Chords = make([][]placedChord, len(lines))
			for k := range one.Chords {
				one.Chords[k] = []placedChord{}
			}
		}
		if one.Chords != nil && len(line.chords) > 0 {
			one.Chords[n] = line.chords
		}
	}
	return one
}
