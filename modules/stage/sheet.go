package main

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/modules/stage/songfile"
)

// sheet is a service with its words as paper has them.
type sheet struct {
	ID       string      `json:"id"`
	Title    string      `json:"title"`
	StartsAt time.Time   `json:"startsAt"`
	Items    []sheetItem `json:"items"`
}

// sheetItem is an item with its words in parts that are not cut for screens. Whoever prints a song has to say
// whose it is.
type sheetItem struct {
	ID        string `json:"id"`
	Kind      string `json:"kind"`
	Title     string `json:"title"`
	Seconds   int64  `json:"seconds"`
	Capo      int64  `json:"capo"`
	Credit    string `json:"credit"`
	Copyright string `json:"copyright"`
	CCLI      string `json:"ccli"`
	Parts     []step `json:"parts"`
}

// readSheet returns a service for paper.
func (s *stage) readSheet(ctx context.Context, r *http.Request) (any, error) {
	id, err := sdk.PathID(r, errNoService)
	if err != nil {
		return nil, err
	}
	one := &sheet{ID: id}
	err = s.store.db.QueryRow(ctx, `
		SELECT title, starts_at FROM services WHERE id = $1 AND cancelled_at IS NULL`, id).
		Scan(&one.Title, &one.StartsAt)
	if err != nil {
		return nil, sdk.OrNoRow(err, errNoService)
	}
	one.Items, err = sdk.SelectBy(ctx, s.store.db, func(row sdk.Scanner, i *sheetItem) error {
		var w words
		err := scanWords(row, &w, &i.ID, &i.Seconds, &i.Credit, &i.Copyright, &i.CCLI)
		i.Kind, i.Title, i.Parts, i.Capo = w.Kind, w.name(), w.parts(), w.Capo
		return err
	}, `
		SELECT items.id::text, items.seconds, coalesce(songs.credit, ''), coalesce(songs.copyright, ''),
			coalesce(songs.ccli, ''), `+wordColumns+`
		FROM items LEFT JOIN songs ON songs.id = items.song_id
		WHERE items.service_id = $1
		ORDER BY items.position`, id)
	return one, err
}

// parts returns the words as they are sung or spoken, with their chords; of a section that is sung again,
// only its label. An item without words has none.
func (w *words) parts() []step {
	all := []step{}
	chords := w.transposer()
	sung := make(map[string]bool)
	for _, one := range sungSections(w.Sections, w.Order) {
		if sung[one.Label] {
			all = append(all, step{Label: one.Label, Lines: []string{}})
			continue
		}
		sung[one.Label] = one.Label != ""
		all = append(all, paragraphs(one.Label, one.Text, chords)...)
	}
	if w.Text != "" {
		all = append(all, paragraphs("", w.Text, nil)...)
	}
	return all
}

// paragraphs are the parts of a text between empty lines. The first one has the label.
func paragraphs(label, text string, chords *songfile.Transposer) (all []step) {
	for _, paragraph := range strings.Split(text, "\n\n") {
		all = append(all, stepOf(label, chordedLines(paragraph, chords)))
		label = ""
	}
	return all
}
