package main

import (
	"net/http"

	"github.com/google/uuid"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// The refusals that a caller can avoid, besides sdk.ErrRequestInvalid.
var (
	errNoService   = sdk.Refuse(http.StatusNotFound, "SERVICE_NOT_FOUND")
	errNoItem      = sdk.Refuse(http.StatusNotFound, "ITEM_NOT_FOUND")
	errNoSong      = sdk.Refuse(http.StatusNotFound, "SONG_NOT_FOUND")
	errNotDriver   = sdk.Refuse(http.StatusConflict, "NOT_THE_DRIVER")
	errConflict    = sdk.Refuse(http.StatusConflict, "CONFLICT")
	errServiceFull = sdk.Refuse(http.StatusConflict, "SERVICE_FULL")
	errSongInUse   = sdk.Refuse(http.StatusConflict, "SONG_IN_USE")
	errImport      = sdk.Refuse(http.StatusBadRequest, "IMPORT_INVALID")
	errSongUnknown = sdk.Refuse(http.StatusBadRequest, "SONG_UNKNOWN") // an item names it
)

// pathID returns the path's id. An id in another format does not exist.
func pathID(r *http.Request, missing error) (string, error) {
	id := r.PathValue("id")
	if !isID(id) {
		return "", missing
	}
	return id, nil
}

func isID(text string) bool {
	id, err := uuid.Parse(text)
	return err == nil && id.String() == text
}
