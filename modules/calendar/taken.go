package main

import (
	"context"
	"errors"
	"net/http"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// taken is a room that another booking has at that time.
type taken struct {
	Room  int64  `json:"room"`
	Start string `json:"start"` // when the room is needed
	Event string `json:"event"` // the event that has the room
	Title string `json:"title"`
	From  string `json:"from"`
	Until string `json:"until"`

	Wanted string `json:"-"` // the event that needs it
}

// roomTaken is errRoomTaken with the bookings that have the rooms. Everybody who may write events may see all
// of them.
type roomTaken struct{ by []taken }

func (roomTaken) Error() string { return errRoomTaken.Code() }
func (roomTaken) Unwrap() error { return errRoomTaken }

// takenBy returns the first ten bookings that have the rooms of an event's waiting bookings, as an error.
func (c *calendar) takenBy(ctx context.Context, tx sdk.Querier, id string) error {
	by, err := readTaken(ctx, tx, `w.event_id = $1::uuid`, id)
	if err != nil {
		return err
	}
	return roomTaken{by}
}

// readTaken reads waiting bookings, w, with the bookings that have their rooms.
func readTaken(ctx context.Context, db sdk.Querier, where string, args ...any) ([]taken, error) {
	return sdk.Select[taken](ctx, db, `
		SELECT w.room_id, to_char(wo.starts, 'YYYY-MM-DD"T"HH24:MI'), h.event_id::text,
		       coalesce(x.title, e.title), to_char(ho.starts, 'YYYY-MM-DD"T"HH24:MI'),
		       to_char(ho.ends, 'YYYY-MM-DD"T"HH24:MI'), w.event_id::text
		FROM bookings w
		JOIN occurrences wo ON wo.event_id = w.event_id AND wo.recurrence = w.recurrence
		JOIN bookings h ON h.held AND int4range(h.room_id, h.room_id, '[]') && int4range(w.room_id, w.room_id, '[]')
			AND h.during && w.during
		JOIN occurrences ho ON ho.event_id = h.event_id AND ho.recurrence = h.recurrence
		JOIN events e ON e.id = h.event_id
		LEFT JOIN exceptions x ON x.event_id = h.event_id AND x.recurrence = h.recurrence
		WHERE NOT w.held AND `+where+`
		ORDER BY lower(w.during), w.room_id, lower(h.during)
		LIMIT 10`, args...)
}

// conflictResponse returns the response to a write: 409 with the other bookings if a room is taken, or with
// the exceptions that would be dropped.
func conflictResponse(result any, err error) (any, error) {
	if lost := (dropping{}); errors.As(err, &lost) {
		return lost.response(), nil
	}
	busy := roomTaken{}
	if !errors.As(err, &busy) {
		return result, err
	}
	return sdk.Response{Status: http.StatusConflict, Body: struct {
		Code  string  `json:"code"`
		Taken []taken `json:"taken"`
	}{errRoomTaken.Code(), busy.by}}, nil
}

// refusalOf converts the error of a violated constraint to a refusal.
func refusalOf(err error) error {
	if sdk.BrokenConstraint(err) == "bookings_room_id_fkey" {
		return errRoomUnknown
	}
	return err
}
