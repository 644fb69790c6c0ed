package main

import (
	"net/http"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// The refusals that a caller can avoid, besides sdk.ErrRequestInvalid.
var (
	errNoService   = sdk.Refuse(http.StatusNotFound, "SERVICE_NOT_FOUND")
	errNoItem      = sdk.Refuse(http.StatusNotFound, "ITEM_NOT_FOUND")
	errNotDriver   = sdk.Refuse(http.StatusConflict, "NOT_THE_DRIVER")
	errConflict    = sdk.Refuse(http.StatusConflict, "CONFLICT")
	errServiceFull = sdk.Refuse(http.StatusConflict, "SERVICE_FULL")
	errNoImport    = sdk.Refuse(http.StatusNotFound, "IMPORT_NOT_FOUND") // or it is too old to be undone
	errImport      = sdk.Refuse(http.StatusBadRequest, "IMPORT_INVALID")
	errSongUnknown = sdk.Refuse(http.StatusBadRequest, "SONG_UNKNOWN") // an item names it
)
