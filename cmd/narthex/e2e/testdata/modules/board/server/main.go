// Command board is a module for tests: it stores numbered notes and publishes each of them.
package main

import (
	"context"
	"net/http"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

type board struct{ host *sdk.Host }

func main() { sdk.Serve(&board{}) }

// Register declares a channel that signed-in people may read, and one that requires a permission.
func (b *board) Register(r *sdk.Registry) error {
	r.HandleFunc("POST /notes", "board.read", sdk.NoBody, b.write)
	r.Channel("notes", "board.read", b.notes)
	r.Channel("secret", "board.restricted", b.notes)
	return nil
}

func (b *board) write(ctx context.Context, _ *http.Request) (any, error) {
	var id int64
	if err := b.host.DB.QueryRow(ctx, "INSERT INTO notes DEFAULT VALUES RETURNING id").Scan(&id); err != nil {
		return nil, err
	}
	return id, b.host.Realtime.Publish("notes", id)
}

// notes returns the ids so far.
func (b *board) notes(ctx context.Context) (any, error) {
	ids := []int64{}
	rows, err := b.host.DB.Query(ctx, "SELECT id FROM notes ORDER BY id")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}

// Start publishes before any reader can connect.
func (b *board) Start(_ context.Context, h *sdk.Host) error {
	b.host = h
	return h.Realtime.Publish("notes", 0)
}

// Stop does nothing.
func (b *board) Stop(context.Context) error { return nil }
