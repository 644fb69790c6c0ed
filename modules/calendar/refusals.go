package main

import (
	"net/http"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// The refusals that a caller can avoid, besides sdk.ErrRequestInvalid.
var (
	errNoEvent     = sdk.Refuse(http.StatusNotFound, "EVENT_NOT_FOUND")
	errNoDate      = sdk.Refuse(http.StatusNotFound, "DATE_NOT_FOUND")   // the event has no such date
	errNoImport    = sdk.Refuse(http.StatusNotFound, "IMPORT_NOT_FOUND") // or it is too old to be undone
	errConflict    = sdk.Refuse(http.StatusConflict, "CONFLICT")
	errRule        = sdk.Refuse(http.StatusBadRequest, "RULE_INVALID")
	errSkipped     = sdk.Refuse(http.StatusBadRequest, "TIME_SKIPPED")
	errDropping    = sdk.Refuse(http.StatusConflict, "EXCEPTIONS_DROPPED")
	errRoomTaken   = sdk.Refuse(http.StatusConflict, "ROOM_TAKEN")
	errNoRoom      = sdk.Refuse(http.StatusNotFound, "ROOM_NOT_FOUND")
	errRoomUnknown = sdk.Refuse(http.StatusBadRequest, "ROOM_UNKNOWN")     // an event names it
	errNoSheet     = sdk.Refuse(http.StatusNotFound, "SIGNUP_NOT_OFFERED") // the event takes none
	errNotSigned   = sdk.Refuse(http.StatusNotFound, "NOT_SIGNED_UP")
	errFull        = sdk.Refuse(http.StatusConflict, "SIGNUP_FULL")
	errClosed      = sdk.Refuse(http.StatusConflict, "SIGNUP_CLOSED")
	errTwice       = sdk.Refuse(http.StatusConflict, "SIGNED_UP_ALREADY")
	errBegun       = sdk.Refuse(http.StatusConflict, "EVENT_BEGUN")
	errAnswer      = sdk.Refuse(http.StatusBadRequest, "ANSWER_INVALID")
	errRepeats     = sdk.Refuse(http.StatusConflict, "SIGNUP_REPEATS") // only what happens once takes sign-ups
)
