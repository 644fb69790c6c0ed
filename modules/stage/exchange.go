package main

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// Limits of one import.
const (
	maxImport     = 8 << 20 // bytes of the file
	maxSongImport = 16 << 20
)

// exchange is everything that the module stores, in the form of an export.
type exchange struct {
	Songs    []exchangedSong    `json:"songs"`
	Services []exchangedService `json:"services"`
}

type exchangedSong struct {
	ID string `json:"id"`
	songContent
}

type exchangedService struct {
	ID       string          `json:"id"`
	Title    string          `json:"title"`
	StartsAt time.Time       `json:"startsAt"`
	Items    []exchangedItem `json:"items"`

	line int // in the file
}

type exchangedItem struct {
	ID        string  `json:"id"`
	Kind      string  `json:"kind"`
	Title     string  `json:"title"`
	Text      string  `json:"text"`
	SongID    *string `json:"songId"`
	Seconds   int64   `json:"seconds"`
	Transpose int64   `json:"transpose"`
	Capo      int64   `json:"capo"`
}

// imported is what an import changes, or would change.
type imported struct {
	Songs    counts   `json:"songs"`
	Services counts   `json:"services"`
	Examples []string `json:"examples,omitempty"` // of songs of other programs: the titles of the first ones
	sdk.Exchange
}

type counts struct {
	New     int `json:"new"`
	Changed int `json:"changed"`
	Same    int `json:"same"`
}

// exportAll returns a consistent file of everything.
func (s *stage) exportAll(ctx context.Context, _ *http.Request) (any, error) {
	var all exchange
	err := s.reading(ctx, func(tx *sdk.Tx) (err error) {
		all, err = readAll(ctx, tx)
		return err
	})
	if err != nil {
		return nil, err
	}
	header := http.Header{"Content-Disposition": {`attachment; filename="stage.json"`}}
	return sdk.Response{Status: http.StatusOK, Header: header, Body: all}, nil
}

// importAll imports such a file. Data with a known id is replaced. Nothing is deleted except items that are
// no longer in a service. What cannot be taken is left out, and stops nothing else.
func (s *stage) importAll(ctx context.Context, r *http.Request) (any, error) {
	return importing(ctx, s, r, parseExchange, writeAll)
}

// importing reads a file with parse, and writes it in a change.
func importing[T any](ctx context.Context, s *stage, r *http.Request,
	parse func(text []byte, found *sdk.Exchange) T,
	write func(ctx context.Context, tx *sdk.Tx, all T, done *imported) error,
) (any, error) {
	exchange, err := sdk.ReadExchange(r)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	done := &imported{Exchange: exchange}
	all := parse(text, &done.Exchange)
	if done.ProblemCount == 0 {
		err = s.writePlan(ctx, func(tx *sdk.Tx, now *status) (onStage bool, err error) {
			return now.ServiceID != nil, done.Keep(write(ctx, tx, all, done))
		})
	}
	return done.Answer(done, err)
}
