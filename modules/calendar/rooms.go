package main

import (
	"context"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// Limits of rooms.
const (
	maxRooms    = 100
	maxRoomName = 60
)

// room is a room that can be booked.
type room struct {
	ID   int64  `json:"id"`
	Name string `json:"name" collection:"1..60,lines"`
	Rev  int64  `json:"rev"`
}

// collectRooms returns the rooms. A change of theirs is one of the calendar. One that an event uses cannot
// be removed, not even if that is beyond the horizon.
func (c *calendar) collectRooms() sdk.Collection[room] {
	return sdk.Collection[room]{
		Path: "/rooms", Read: readEvents, Write: manageEvents, Max: maxRooms, Whole: true, MaxBody: 1 << 10,
		Only: []string{"list", "create", "edit", "remove"}, Wrap: c.serve,
		Used: `EXISTS (SELECT FROM events WHERE deleted_at IS NULL AND row.id = ANY (rooms))
			OR EXISTS (SELECT FROM exceptions WHERE row.id = ANY (rooms))`,
		Change: func(ctx context.Context, change sdk.CollectionChange) error {
			return c.change(ctx, func(tx *sdk.Tx) error {
				_, err := change(tx)
				return err
			})
		},
	}
}
