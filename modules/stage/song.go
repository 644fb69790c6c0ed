package main

import (
	"slices"
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
	maxOrder    = 60    // sections that are sung, with those that are repeated
	maxCCLI     = 40
)

// section is a part of a song that is sung in one go, such as a verse. Chords are in brackets before the
// letter to which they belong: "[G]Amazing [C]grace".
type section struct {
	Label string `json:"label"`
	Text  string `json:"text"`
}

// song is a song in the form that callers get.
type song struct {
	ID string `json:"id"`
	songContent
	Rev int64 `json:"rev"`
}

// songContent is a song in the form that callers and files send. What has no bounds here is checked below.
type songContent struct {
	Title    string    `json:"title" collection:"lines,sort"`
	Credit   string    `json:"credit" collection:"optional,lines"`
	Sections []section `json:"sections"`
	songDetails
}

// songDetails are what a song has besides its words. None of it is sung.
type songDetails struct {
	Copyright string `json:"copyright" collection:"optional,lines"`
	CCLI      string `json:"ccli" collection:"optional,lines"` // the number of the song there
	// Order has the labels of sections in the order in which they are sung. When it is empty, each section is
	// sung once.
	Order []string `json:"order" collection:"optional,column=verse_order"`
}

// check refuses a song that cannot be shown.
func (d *songContent) check() error {
	d.Title, d.Credit = normalized(d.Title), normalized(d.Credit)
	if !sdk.IsLine(d.Title, 1, maxTitle) || !sdk.IsLine(d.Credit, 0, maxCredit) ||
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
	return d.checkDetails()
}

// checkDetails refuses an order of sections that the song does not have.
func (d *songContent) checkDetails() error {
	d.Copyright, d.CCLI = normalized(d.Copyright), normalized(d.CCLI)
	if d.Order == nil {
		d.Order = []string{}
	}
	if !sdk.IsLine(d.Copyright, 0, maxCredit) || !sdk.IsLine(d.CCLI, 0, maxCCLI) || len(d.Order) > maxOrder {
		return sdk.ErrRequestInvalid
	}
	for n, label := range d.Order {
		d.Order[n] = normalized(label)
		if d.Order[n] == "" || sectionAt(d.Sections, d.Order[n]) < 0 {
			return sdk.ErrRequestInvalid
		}
	}
	return nil
}

// sectionAt returns the place of the section with this label, or -1.
func sectionAt(sections []section, label string) int {
	return slices.IndexFunc(sections, func(s section) bool { return s.Label == label })
}

// sungSections returns the sections in the order in which they are sung.
func sungSections(sections []section, order []string) []section {
	if len(order) == 0 {
		return sections
	}
	sung := make([]section, 0, len(order))
	for _, label := range order {
		if at := sectionAt(sections, label); at >= 0 {
			sung = append(sung, sections[at])
		}
	}
	return sung
}
