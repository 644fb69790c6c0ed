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
	maxImport         = 8 << 20 // bytes of the file
	maxSongImport     = 256 << 10
	maxImportProblems = 10 // only the first ones are reported
)

// exchange is everything that the module stores, in the form of an export.
type exchange struct {
	Songs    []exchangedSong    `json:"songs"`
	Services []exchangedService `json:"services"`
}

type exchangedSong struct {
	ID       string    `json:"id"`
	Title    string    `json:"title"`
	Credit   string    `json:"credit"`
	Sections []section `json:"sections"`
}

type exchangedService struct {
	ID       string          `json:"id"`
	Title    string          `json:"title"`
	StartsAt time.Time       `json:"startsAt"`
	Items    []exchangedItem `json:"items"`
}

type exchangedItem struct {
	ID      string  `json:"id"`
	Kind    string  `json:"kind"`
	Title   string  `json:"title"`
	Text    string  `json:"text"`
	SongID  *string `json:"songId"`
	Seconds int64   `json:"seconds"`
}

// imported is what an import changes, or would change.
type imported struct {
	Songs    counts    `json:"songs"`
	Services counts    `json:"services"`
	Problems []problem `json:"problems"`
}

type counts struct {
	New     int `json:"new"`
	Changed int `json:"changed"`
	Same    int `json:"same"`
}

// problem is a reason why an import is refused.
type problem struct {
	Line int    `json:"line"`
	Code string `json:"code"`
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
// no longer in a service.
func (s *stage) importAll(ctx context.Context, r *http.Request) (any, error) {
	preview, err := isPreview(r)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	all, problems := parseExchange(text)
	return s.importing(ctx, preview, problems, func(tx *sdk.Tx) (imported, error) {
		return writeAll(ctx, tx, all, sdk.Principal(ctx).UserID)
	})
}

// importSongs imports songs as plain text, or as JSON without ids. A song that already exists is not changed.
func (s *stage) importSongs(ctx context.Context, r *http.Request) (any, error) {
	preview, err := isPreview(r)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	songs, problems := parseSongs(text)
	return s.importing(ctx, preview, problems, func(tx *sdk.Tx) (imported, error) {
		return addSongs(ctx, tx, songs, sdk.Principal(ctx).UserID)
	})
}

func isPreview(r *http.Request) (bool, error) {
	sent, err := sdk.Query(r, "preview")
	if err != nil || sent["preview"] != "" && sent["preview"] != "1" {
		return false, sdk.ErrRequestInvalid
	}
	return sent["preview"] == "1", nil
}

// importing runs f in a transaction, which is rolled back for a preview. If there are problems, nothing is
// written.
func (s *stage) importing(ctx context.Context, preview bool, problems []problem,
	f func(tx *sdk.Tx) (imported, error),
) (any, error) {
	if len(problems) > 0 {
		if preview {
			return imported{Problems: problems}, nil
		}
		return nil, errImport
	}
	var result imported
	err := s.writePlan(ctx, func(tx *sdk.Tx, now *status) (onStage bool, err error) {
		if result, err = f(tx); err == nil && preview {
			err = errUnchanged
		}
		return now.ServiceID != nil, err
	})
	if err != nil && err != errUnchanged {
		return nil, err
	}
	return result, nil
}
