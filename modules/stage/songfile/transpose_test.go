package songfile_test

import (
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/modules/stage/songfile"
)

// TestTransposing: chords are written as musicians of the new key write them, with H where the song has it.
func TestTransposing(t *testing.T) {
	t.Parallel()
	for _, one := range []struct {
		by             int
		from, to, note string
	}{
		{0, "[G][C/E][F#m7]", "G C/E F#m7", "as it is"},
		{2, "[G][C/E][D7sus4]", "A D/F# E7sus4", "sharps"},
		{-2, "[G][C/E][Am]", "F Bb/D Gm", "flats"},
		{3, "[Am][F][G]", "Cm Ab Bb", "flats of a minor key"},
		{1, "[G][D][N.C.]", "Ab Eb N.C.", "no chord stays"},
		{12, "[Bb]", "Bb", "an octave"},
		{-11, "[B]", "C", "far below"},
		{2, "[A][H7][E]", "H C#7 F#", "German names"},
		{1, "[A][H][B]", "B C H", "B is below H"},
		{2, "[Gmaj7][Bbdim][G♭]", "Amaj7 Cdim G#", "other signs"},
	} {
		transposer := songfile.NewTransposer([]string{"words", one.from}, one.by)
		var got []string
		for _, part := range songfile.Parts(one.from) {
			got = append(got, transposer.Chord(part.Chord))
		}
		if all := strings.Join(got, " "); all != one.to {
			t.Errorf("%s: %s, %d higher: %s, want %s", one.note, one.from, one.by, all, one.to)
		}
	}
	// There and back again is the same song.
	const song = "[G][C/E][F#m7][D]"
	for by := -11; by <= 11; by++ {
		there := songfile.NewTransposer([]string{song}, by)
		var moved, back strings.Builder
		for _, part := range songfile.Parts(song) {
			moved.WriteString("[" + there.Chord(part.Chord) + "]")
		}
		here := songfile.NewTransposer([]string{moved.String()}, -by)
		for _, part := range songfile.Parts(moved.String()) {
			back.WriteString("[" + here.Chord(part.Chord) + "]")
		}
		if back.String() != song {
			t.Errorf("%s, %d higher and lower: %s by %s", song, by, back.String(), moved.String())
		}
	}
}
