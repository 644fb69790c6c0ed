package songfile

import (
	"slices"
	"strings"
)

var (
	sharps = [...]string{"C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B"}
	flats  = [...]string{"C", "Db", "D", "Eb", "E", "F", "Gb", "G", "Ab", "A", "Bb", "B"}
)

var keysWithFlats = []string{"F", "Bb", "Eb", "Ab", "Db"}

// Transposer writes chords some semitones higher.
type Transposer struct {
	by     int
	german bool // H is the note below C, and B the one below it
	names  [12]string
}

// NewTransposer returns one for a song with these texts. Its first chord says in which key it is, and so
// whether the new key has sharps or flats.
func NewTransposer(texts []string, by int) *Transposer {
	t := &Transposer{by: by, names: sharps}
	key := ""
	for _, text := range texts {
		for _, found := range inBracket.FindAllStringSubmatch(text, -1) {
			if key == "" {
				key = found[1]
			}
			if strings.HasPrefix(found[1], "H") || strings.HasSuffix(found[1], "/H") {
				t.german = true
			}
		}
	}
	if note, rest, ok := t.note(key); ok {
		place := mod12(note + by)
		if strings.HasPrefix(rest, "m") && !strings.HasPrefix(rest, "maj") {
			place = mod12(place + 3) // the major key with the same signs
		}
		if slices.Contains(keysWithFlats, flats[place]) {
			t.names = flats
		}
	}
	return t
}

// Chord returns a chord so many semitones higher. What is no note, such as N.C., stays.
func (t *Transposer) Chord(name string) string {
	if t.by == 0 {
		return name
	}
	main, bass, hasBass := strings.Cut(name, "/")
	main = t.higher(main)
	if hasBass {
		return main + "/" + t.higher(bass)
	}
	return main
}

func (t *Transposer) higher(name string) string {
	note, rest, ok := t.note(name)
	if !ok {
		return name
	}
	root := t.names[mod12(note+t.by)]
	if t.german {
		switch root {
		case "B":
			root = "H"
		case "Bb", "A#":
			root = "B"
		}
	}
	return root + rest
}

// note returns the number of a chord's root, from C, and the rest of its name.
func (t *Transposer) note(name string) (number int, rest string, ok bool) {
	if name == "" || name[0] < 'A' || name[0] > 'H' || name == "N.C." || name == "NC" {
		return 0, "", false
	}
	number = map[byte]int{'C': 0, 'D': 2, 'E': 4, 'F': 5, 'G': 7, 'A': 9, 'B': 11, 'H': 11}[name[0]]
	rest = name[1:]
	for sign, step := range map[string]int{"#": 1, "♯": 1, "b": -1, "♭": -1} {
		if after, found := strings.CutPrefix(rest, sign); found {
			return mod12(number + step), after, true
		}
	}
	if t.german && name[0] == 'B' {
		number--
	}
	return number, rest, true
}

func mod12(n int) int { return (n%12 + 12) % 12 }
