package main

import (
	"context"
	"encoding/json"
	"time"
	"unicode/utf8"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// Limits of what a screen gets.
const (
	maxBoardText  = 800                     // characters of a slide's text: more than fits on any screen
	maxBoardBytes = sdk.MaxSnapshot * 7 / 8 // bytes of the slides in a snapshot, as JSON
)

// board is everything that a screen shows: all published slides that have not ended. The screen itself
// selects the slides of each moment, by the server's time.
type board struct {
	ServerTime time.Time `json:"serverTime"`
	Rev        int64     `json:"rev"`
	Settings   settings  `json:"settings"`
	Slides     []slide   `json:"slides"`
	Show       *shown    `json:"show"`
}

// settings are an administrator's settings for the board.
type settings struct {
	SlideSeconds int64  `json:"slideSeconds"`
	ShowClock    bool   `json:"showClock"`
	Transition   string `json:"transition"`
	IdleMessage  string `json:"idleMessage"`
}

// update is one change of the board. Its rev is one higher than that of the previous change. A reader that
// misses a change, or gets an update with only a rev, requests a new snapshot.
type update struct {
	Rev    int64    `json:"rev"`
	Upsert []slide  `json:"upsert,omitempty"`
	Remove []string `json:"remove,omitempty"`
	Show   *shown   `json:"show,omitempty"`
}

// snapshot returns the whole board. If the slides do not fit into one message, the last ones are omitted.
func (a *announcements) snapshot(ctx context.Context) (any, error) {
	b, err := a.store.board(ctx)
	if err != nil {
		return nil, err
	}
	b.Settings = settings{
		SlideSeconds: a.host.Config.Integer("slideSeconds"),
		ShowClock:    a.host.Config.Boolean("showClock"),
		Transition:   a.host.Config.String("transition"),
		IdleMessage:  a.host.Config.String("idleMessage"),
	}
	size := 0
	for i := range b.Slides {
		b.Slides[i] = forBoard(b.Slides[i])
		text, err := json.Marshal(b.Slides[i])
		if err != nil {
			return nil, err
		}
		if size += len(text) + 1; size > maxBoardBytes {
			a.host.Log.Warn("the board is too long for one message", "slides", len(b.Slides), "sent", i)
			b.Slides = b.Slides[:i]
			break
		}
	}
	return b, nil
}

// forBoard returns a slide in the form that screens get.
func forBoard(s slide) slide {
	if utf8.RuneCountInString(s.Body) > maxBoardText {
		s.Body = string([]rune(s.Body)[:maxBoardText])
	}
	return s
}

// onBoard returns the update for a slide that was written.
func onBoard(s *slide) update {
	if !s.Enabled {
		return update{Remove: []string{s.ID}}
	}
	return update{Upsert: []slide{forBoard(*s)}}
}

// change runs f as a change of the board, and publishes the update that f returned to screens and people.
func (a *announcements) change(ctx context.Context, f func(tx *sdk.Tx) (update, error)) error {
	return a.changes.Write(ctx, func(tx *sdk.Tx, rev int64) (sdk.Updates, error) {
		changed, err := f(tx)
		changed.Rev = rev
		return sdk.Updates{boardChannel: changed, noticesChannel: changed}, err
	})
}

// board reads the board in one statement, so that rev and slides are consistent.
func (s *store) board(ctx context.Context) (*board, error) {
	rows, err := s.db.Query(ctx, `
		SELECT now(), board.rev, board.shown_id::text, board.shown_until, slides.id IS NOT NULL, `+boardColumns+`
		FROM board LEFT JOIN slides ON slides.enabled AND (slides.ends_at IS NULL OR slides.ends_at > now())
		ORDER BY slides.position, slides.id`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	b := &board{Slides: []slide{}}
	for rows.Next() {
		var serverTime time.Time
		var shownID *string
		var shownUntil *time.Time
		var there bool
		var one slide
		err := scan(prefixed{rows, []any{&serverTime, &b.Rev, &shownID, &shownUntil, &there}}, &one)
		if err != nil {
			return nil, err
		}
		b.ServerTime = serverTime
		if shownID != nil && shownUntil != nil && shownUntil.After(serverTime) {
			b.Show = &shown{ID: *shownID, Until: *shownUntil}
		}
		if there {
			b.Slides = append(b.Slides, one)
		}
	}
	return b, rows.Err()
}

// boardColumns are the columns of a slide, with values that can be scanned if there is no slide.
const boardColumns = `
	coalesce(slides.id::text, ''), coalesce(kind, ''), coalesce(title, ''), coalesce(body, ''),
	image_id::text, payload, starts_at, ends_at, coalesce(position, 0), coalesce(enabled, false),
	coalesce(slides.rev, 0), shown_only`

// prefixed scans some columns before those of a slide.
type prefixed struct {
	row  interface{ Scan(dst ...any) error }
	into []any
}

// Scan reads one row.
func (p prefixed) Scan(dst ...any) error {
	return p.row.Scan(append(append([]any{}, p.into...), dst...)...)
}
