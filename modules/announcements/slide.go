package main

import (
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// Limits of one slide, in characters and bytes.
const (
	maxKind    = 64
	maxTitle   = 120
	maxBody    = 4000
	maxPayload = 8 << 10
)

// ownKind is the kind of slide that this module shows itself. Every other kind is the id of a contribution.
const ownKind = "notice"

// slide is a slide in the form that callers get.
type slide struct {
	ID       string         `json:"id"`
	Kind     string         `json:"kind"`
	Title    string         `json:"title"`
	Body     string         `json:"body"`
	ImageID  *string        `json:"imageId"`
	Payload  jsontext.Value `json:"payload"`
	StartsAt *time.Time     `json:"startsAt"`
	EndsAt   *time.Time     `json:"endsAt"`
	Only     *only          `json:"only,omitzero"` // absent: always and everywhere
	Position int64          `json:"position"`
	Enabled  bool           `json:"enabled"`
	Rev      int64          `json:"rev"`
}

// draft is a slide in the form that callers send. Absent and null mean the same.
type draft struct {
	Kind     *string        `json:"kind"`
	Title    *string        `json:"title"`
	Body     *string        `json:"body"`
	ImageID  *string        `json:"imageId"`
	Payload  jsontext.Value `json:"payload"`
	StartsAt *time.Time     `json:"startsAt"`
	EndsAt   *time.Time     `json:"endsAt"`
	Only     *only          `json:"only"`
	Enabled  *bool          `json:"enabled"`
	Rev      *int64         `json:"rev"` // only of an edit: the rev that the writer saw

	writer string // a user id; "": unknown
	id     string // of a new slide; "": any
}

// check sets the defaults and refuses a slide that the board cannot show.
func (d *draft) check() error {
	if d.Kind == nil {
		own := ownKind
		d.Kind = &own
	}
	if d.Body == nil {
		d.Body = new(string)
	}
	if d.Enabled == nil {
		d.Enabled = new(bool)
	}
	if d.Payload.Kind() == 'n' {
		d.Payload = nil
	}
	switch {
	case d.Title == nil, !sdk.IsText(*d.Title, 1, maxTitle), !sdk.IsText(*d.Body, 0, maxBody),
		!sdk.IsText(*d.Kind, 1, maxKind),
		d.ImageID != nil && !sdk.IsID(*d.ImageID),
		d.Payload != nil && (d.Payload.Kind() != '{' || len(d.Payload) > maxPayload ||
			strings.Contains(string(d.Payload), `\u0000`)),
		d.StartsAt != nil && d.EndsAt != nil && !d.EndsAt.After(*d.StartsAt):
		return sdk.ErrRequestInvalid
	}
	var err error
	d.Only, err = d.Only.checked()
	return err
}
