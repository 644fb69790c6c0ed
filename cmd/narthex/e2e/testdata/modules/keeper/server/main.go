// Command keeper is a module for tests: it stores data about people, and a table sets how it handles
// erasures.
package main

import (
	"context"
	"errors"
	"strings"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

type keeper struct{ db *sdk.DB }

func main() { sdk.Serve(&keeper{}) }

// Register declares the hooks for erasure and export.
func (k *keeper) Register(r *sdk.Registry) error {
	r.PersonErased(k.forget)
	r.PersonExport(k.export)
	return nil
}

// Start keeps the database.
func (k *keeper) Start(_ context.Context, h *sdk.Host) error {
	k.db = h.DB
	return nil
}

// Stop does nothing.
func (k *keeper) Stop(context.Context) error { return nil }

// behave behaves as a statement says that returns a behaviour, and returns it.
func (k *keeper) behave(ctx context.Context, statement string, arguments ...any) (string, error) {
	var behaviour string
	err := k.db.QueryRow(ctx, statement, arguments...).Scan(&behaviour)
	switch {
	case err != nil:
	case behaviour == "hangs":
		<-ctx.Done()
		err = ctx.Err()
	case behaviour == "fails":
		err = errors.New("not now")
	}
	return behaviour, err
}

func (k *keeper) forget(ctx context.Context, userID string) error {
	// One statement, so that a test that sees the row knows how this call behaves.
	const tell = `INSERT INTO told VALUES ($1) RETURNING (SELECT name FROM behaviour)`
	if _, err := k.behave(ctx, tell, userID); err != nil {
		return err
	}
	_, err := k.db.Exec(ctx, `DELETE FROM kept WHERE user_id = $1`, userID)
	return err
}

func (k *keeper) export(ctx context.Context, userID string) (any, error) {
	behaviour, err := k.behave(ctx, `SELECT name FROM behaviour`)
	if err != nil {
		return nil, err
	}
	switch behaviour {
	case "large":
		return strings.Repeat("x", 8<<20-2), nil // the quotes are two more bytes
	case "too large":
		return strings.Repeat("x", 8<<20), nil
	}
	rows, err := k.db.Query(ctx, `SELECT note FROM kept WHERE user_id = $1 ORDER BY note`, userID)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var notes []string
	for rows.Next() {
		var note string
		if err := rows.Scan(&note); err != nil {
			return nil, err
		}
		notes = append(notes, note)
	}
	return map[string]any{"notes": notes}, rows.Err()
}
