package main

import (
	"context"
	"database/sql"
	"errors"
	"net/http"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// writer returns the name of the last writer of a slide to people who write slides; null if the person is no
// longer known.
func (a *announcements) writer(ctx context.Context, r *http.Request) (any, error) {
	id, err := sdk.PathID(r, errNotFound)
	if err != nil {
		return nil, err
	}
	var writer *string
	err = a.store.db.QueryRow(ctx, `SELECT changed_by FROM slides WHERE id = $1`, id).Scan(&writer)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, errNotFound
	}
	if err != nil || writer == nil {
		return map[string]*string{"name": nil}, err
	}
	names, err := a.host.People.Names(ctx, []string{*writer})
	if name, known := names[*writer]; known {
		return map[string]*string{"name": &name}, err
	}
	return map[string]*string{"name": nil}, err
}

// forget removes an erased person's id from the slides. The slides remain, because they are the
// congregation's.
func (a *announcements) forget(ctx context.Context, userID string) error {
	_, err := a.store.db.Exec(ctx, `UPDATE slides SET changed_by = NULL WHERE changed_by = $1`, userID)
	return err
}

// written is a slide in its last writer's export.
type written struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Body  string `json:"body"`
}

// export returns what the module stores about a person: the slides that they were the last to write.
func (a *announcements) export(ctx context.Context, userID string) (any, error) {
	notices, err := sdk.Select[written](ctx, a.store.db, `
		SELECT id::text, title, body FROM slides WHERE changed_by = $1 ORDER BY position, id`, userID)
	return map[string]any{"noticesLastWritten": notices}, err
}
