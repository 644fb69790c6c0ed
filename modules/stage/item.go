package main

import "github.com/narthex-platform/narthex/modulehost/sdk"

// Limits of an item.
const (
	maxText      = 6000 // characters
	maxSeconds   = 6 * 60 * 60
	maxTranspose = 11 // semitones
)

// The kinds of an item.
const (
	songKind    = "song"
	readingKind = "reading"
	talkKind    = "talk"
	noticeKind  = "notice"
)

// item is one point of an order of service in the form that callers get.
type item struct {
	ID        string  `json:"id"`
	Kind      string  `json:"kind"`
	Title     string  `json:"title"` // may be empty for a song: then the song's own title is shown
	Text      string  `json:"text"`
	SongID    *string `json:"songId"`
	SongTitle *string `json:"songTitle"`
	Seconds   int64   `json:"seconds"`   // 0: not planned
	Transpose int64   `json:"transpose"` // semitones, of a song
	Capo      int64   `json:"capo"`
	Position  int64   `json:"position"`
	Rev       int64   `json:"rev"`
}

// itemDraft is an item in the form that callers send. Absent and null mean the same.
type itemDraft struct {
	Kind    string  `json:"kind"`
	Title   *string `json:"title"`
	Text    *string `json:"text"`
	SongID  *string `json:"songId"`
	Seconds *int64  `json:"seconds"`
	// Of a song: the semitones that it is played higher than it is written, and where the capo is.
	Transpose *int64 `json:"transpose"`
	Capo      *int64 `json:"capo"`
	Rev       *int64 `json:"rev"` // only of an edit: the rev that the writer saw
}

// check sets the defaults and refuses an item that cannot be shown.
func (d *itemDraft) check() error {
	if d.Title == nil {
		d.Title = new(string)
	}
	if d.Text == nil {
		d.Text = new(string)
	}
	if d.Seconds == nil {
		d.Seconds = new(int64)
	}
	if d.Transpose == nil {
		d.Transpose = new(int64)
	}
	if d.Capo == nil {
		d.Capo = new(int64)
	}
	*d.Title, *d.Text = normalized(*d.Title), normalized(*d.Text)
	least := 1
	switch d.Kind {
	case songKind:
		if d.SongID == nil || !sdk.IsID(*d.SongID) || *d.Text != "" {
			return sdk.ErrRequestInvalid
		}
		least = 0
	case readingKind, talkKind, noticeKind:
		if d.SongID != nil || *d.Transpose != 0 || *d.Capo != 0 {
			return sdk.ErrRequestInvalid
		}
	default:
		return sdk.ErrRequestInvalid
	}
	if !sdk.IsLine(*d.Title, least, maxTitle) || !isText(*d.Text, 0, maxText) ||
		*d.Seconds < 0 || *d.Seconds > maxSeconds || *d.Transpose < -maxTranspose || *d.Transpose > maxTranspose ||
		*d.Capo < 0 || *d.Capo > maxTranspose {
		return sdk.ErrRequestInvalid
	}
	return nil
}
