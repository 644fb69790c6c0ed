package main

import (
	"strings"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// Limits of a song.
const (
	maxCredit   = 200 // characters
	maxSections = 30
	maxLabel    = 40
	maxWords    = 12000 // characters of all sections
	maxLines    = 300   // of all sections
)

// section is a part of a song that is sung in one go, such as a verse.
type section struct {
	Label string `json:"label"`
	Text  string `json:"text"`
}

// song is a song in the form that callers get.
type song struct {
	ID       string    `json:"id"`
	Title    string    `json:"title"`
	Credit   string    `json:"credit"`
	Sections []section `json:"sections"`
	Rev      int64     `json:"rev"`
}

// listedSong is a song without its words.
type listedSong struct {
	ID       string `json:"id"`
	Title    string `json:"title"`
	Credit   string `json:"credit"`
	Sections int64  `json:"sections"`
	Rev      int64  `json:"rev"`
}

// songDraft is a song in the form that callers send.
type songDraft struct {
	Title    string    `json:"title"`
	Credit   *string   `json:"credit"`
	Sections []section `json:"sections"`
	Rev      *int64    `json:"rev"` // only of an edit: the rev that the writer saw
}

// check sets the defaults and refuses a song that cannot be shown.
func (d *songDraft) check() error {
	if d.Credit == nil {
		d.Credit = new(string)
	}
	d.Title, *d.Credit = normalized(d.Title), normalized(*d.Credit)
	if !sdk.IsLine(d.Title, 1, maxTitle) || !sdk.IsLine(*d.Credit, 0, maxCredit) ||
		len(d.Sections) == 0 || len(d.Sections) > maxSections {
		return sdk.ErrRequestInvalid
	}
	words, lines := 0, 0
	for i := range d.Sections {
		one := &d.Sections[i]
		one.Label, one.Text = normalized(one.Label), withoutGaps(normalized(one.Text))
		if !sdk.IsLine(one.Label, 0, maxLabel) || !isText(one.Text, 1, maxWords) {
			return sdk.ErrRequestInvalid
		}
		words += len([]rune(one.Text))
		lines += 1 + strings.Count(one.Text, "\n")
	}
	if words > maxWords || lines > maxLines {
		return sdk.ErrRequestInvalid
	}
	return nil
}
