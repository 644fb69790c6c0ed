package main

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/narthex-platform/narthex/modules/stage/songfile"
)

// The limits of a screen, so that it can be read from afar.
const (
	screenLines = 6
	wholeLine   = 50 // characters; a longer line is broken
	brokenLine  = 36
)

// step is what a screen shows at once.
type step struct {
	Label string   `json:"label"`
	Lines []string `json:"lines"`
	// Chords has the chords of each line, or nothing if there are none.
	Chords [][]placedChord `json:"chords,omitempty"`
}

// words are the texts from which the steps of an item are made.
type words struct {
	Kind      string
	Title     string
	Text      string
	SongTitle *string
	Sections  []section
	Order     []string
	Transpose int64
	Capo      int64
}

// name returns the name of the item.
func (w *words) name() string {
	if w.Title == "" && w.SongTitle != nil {
		return *w.SongTitle
	}
	return w.Title
}

// steps returns at least one step: an item without words shows its name.
func (w *words) steps() []step {
	var all []step
	chords := w.transposer()
	for _, one := range sungSections(w.Sections, w.Order) {
		all = append(all, cut(one.Label, one.Text, chords)...)
	}
	if w.Text != "" {
		all = append(all, cut("", w.Text, nil)...)
	}
	if len(all) == 0 {
		all = []step{{Lines: brokenAt(w.name(), brokenLine)}}
	}
	return all
}

// cut divides a text into steps. An empty line ends a step, and a part that is longer than a screen becomes
// several steps of about the same length. Without a transposer, the text has no chords.
func cut(label, text string, chords *songfile.Transposer) []step {
	var all []step
	for _, paragraph := range strings.Split(text, "\n\n") {
		lines := chordedScreenLines(paragraph, chords)
		for parts := (len(lines) + screenLines - 1) / screenLines; parts > 0; parts-- {
			length := (len(lines) + parts - 1) / parts
			all = append(all, stepOf(label, lines[:length]))
			lines = lines[length:]
		}
	}
	if len(all) > 1 {
		for n := range all {
			all[n].Label = strings.TrimSpace(fmt.Sprintf("%s %d/%d", label, n+1, len(all)))
		}
	}
	return all
}

// screenLinesOf breaks a line that is too long into as few lines as possible, of about the same length.
func screenLinesOf(line string) []string {
	if utf8.RuneCountInString(line) <= wholeLine {
		return []string{line}
	}
	least := brokenAt(line, brokenLine)
	for width := utf8.RuneCountInString(line) / len(least); width < brokenLine; width++ {
		if even := brokenAt(line, width); len(even) == len(least) {
			return even
		}
	}
	return least
}

// brokenAt breaks a line between words, and a word that is too long anywhere.
func brokenAt(line string, width int) []string {
	var lines []string
	var now []rune
	for _, word := range strings.Fields(line) {
		runes := []rune(word)
		if len(now) > 0 && len(now)+1+len(runes) <= width {
			now = append(append(now, ' '), runes...)
			continue
		}
		if len(now) > 0 {
			lines = append(lines, string(now))
		}
		for len(runes) > width {
			lines, runes = append(lines, string(runes[:width])), runes[width:]
		}
		now = runes
	}
	return append(lines, string(now))
}
