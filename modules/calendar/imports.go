package main

import (
	"context"
	"net/http"
	"strconv"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// imports are what imports write: events and rooms that were not there.
var imports = sdk.Imports{
	{
		Kind: "events", From: "events", Name: "row.title", Gone: "row.deleted_at IS NOT NULL",
		Used: `EXISTS (SELECT FROM participants p JOIN sheets s ON s.id = p.sheet_id
			JOIN imported i ON i.kind = 'events' AND i.id = row.id::text
			JOIN imports m ON m.id = i.import_id WHERE s.event_id = row.id AND p.at >= m.at)`,
	},
	{
		Kind: "rooms", From: "rooms", Name: "row.name",
		Used: `EXISTS (SELECT FROM events WHERE row.id = ANY (rooms))
			OR EXISTS (SELECT FROM exceptions WHERE row.id = ANY (rooms))
			OR EXISTS (SELECT FROM bookings WHERE room_id = row.id)`,
	},
}

// remember notes what an import has made.
func (i *importing) remember(ctx context.Context, tx sdk.Querier) error {
	rows := make(map[string][]sdk.ImportedRow)
	for _, e := range i.events {
		rows["events"] = append(rows["events"], sdk.ImportedRow{Key: e.id})
	}
	for _, id := range i.roomsOf(i.newRooms) {
		rows["rooms"] = append(rows["rooms"], sdk.ImportedRow{Key: strconv.FormatInt(id, 10)})
	}
	return imports.Remember(ctx, tx, rows)
}

// listImports lists the imports that can be undone, the latest first.
func (c *calendar) listImports(ctx context.Context, _ *http.Request) (any, error) {
	past, err := imports.List(ctx, c.db)
	return map[string]any{"imports": past}, err
}

// undoImport removes the events of an import for good, so that another import can bring them again, and the
// rooms that it made and nothing else has. What somebody has changed since stays.
func (c *calendar) undoImport(ctx context.Context, r *http.Request) (any, error) {
	id, err := sdk.PathID(r, errNoImport)
	if err != nil {
		return nil, err
	}
	var done sdk.Undone
	err = c.change(ctx, func(tx *sdk.Tx) (err error) {
		done, err = imports.Undo(ctx, tx, id)
		return sdk.OrNoRow(err, errNoImport)
	})
	if err != nil {
		return nil, err
	}
	return done, nil
}

// forgetImports removes what can no longer be undone.
func (c *calendar) forgetImports(ctx context.Context) error { return imports.Forget(ctx, c.db) }
