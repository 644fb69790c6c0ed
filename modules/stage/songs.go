package main

import (
	"context"
	"net/http"
	"strings"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// maxSearch is the longest text that is searched for, in characters.
const maxSearch = 100

// listSongs returns the songs by title, without their words, page by page.
func (s *stage) listSongs(ctx context.Context, r *http.Request) (any, error) {
	page, err := sdk.ReadPage[songPosition](r, "q")
	if err != nil {
		return nil, err
	}
	search := strings.TrimSpace(page.Query["q"])
	if page.After != nil && !sdk.IsID(page.After.ID) || !sdk.IsLine(search, 0, maxSearch) {
		return nil, sdk.ErrRequestInvalid
	}
	found, err := s.store.songs(ctx, search, page.After, page.Limit+1)
	if err != nil {
		return nil, err
	}
	found, next, err := sdk.CutPage(page, found, func(s orderedSong) songPosition { return s.place })
	songs := make([]listedSong, len(found))
	for i, one := range found {
		songs[i] = one.listedSong
	}
	return struct {
		Songs      []listedSong `json:"songs"`
		NextCursor *string      `json:"nextCursor"`
	}{songs, next}, err
}

func (s *stage) readSong(ctx context.Context, r *http.Request) (any, error) {
	id, err := sdk.PathID(r, errNoSong)
	if err != nil {
		return nil, err
	}
	return s.store.song(ctx, id)
}

func (s *stage) createSong(ctx context.Context, r *http.Request) (any, error) {
	draft, err := sdk.Decode[songDraft](r)
	if err != nil {
		return nil, err
	}
	if err := draft.check(); err != nil || draft.Rev != nil {
		return nil, sdk.ErrRequestInvalid
	}
	var created *song
	err = s.writePlan(ctx, func(tx *sdk.Tx, _ *status) (bool, error) {
		created, err = createSong(ctx, tx, &draft, sdk.Principal(ctx).UserID)
		return false, err
	})
	if err != nil {
		return nil, err
	}
	return sdk.Created(created), nil
}

// editSong replaces a song if it has not changed since the writer read it.
func (s *stage) editSong(ctx context.Context, r *http.Request) (any, error) {
	draft, err := sdk.Decode[songDraft](r)
	if err != nil {
		return nil, err
	}
	if err := draft.check(); err != nil || draft.Rev == nil {
		return nil, sdk.ErrRequestInvalid
	}
	id, err := sdk.PathID(r, errNoSong)
	if err != nil {
		return nil, err
	}
	var edited *song
	err = s.writePlan(ctx, func(tx *sdk.Tx, now *status) (onStage bool, err error) {
		if edited, err = editSong(ctx, tx, id, &draft, sdk.Principal(ctx).UserID); err != nil {
			return false, err
		}
		err = tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM items WHERE service_id = $1 AND song_id = $2)`,
			now.ServiceID, id).Scan(&onStage)
		return onStage, err
	})
	if err != nil {
		return nil, err
	}
	return edited, nil
}

func (s *stage) removeSong(ctx context.Context, r *http.Request) (any, error) {
	id, err := sdk.PathID(r, errNoSong)
	if err != nil {
		return nil, err
	}
	return nil, s.writePlan(ctx, func(tx *sdk.Tx, _ *status) (bool, error) {
		return false, removeSong(ctx, tx, id)
	})
}
