package main

import (
	"net/http"

	"github.com/google/uuid"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// The refusals that a caller can avoid, besides sdk.ErrRequestInvalid.
var (
	errNotFound       = sdk.Refuse(http.StatusNotFound, "SLIDE_NOT_FOUND")
	errConflict       = sdk.Refuse(http.StatusConflict, "CONFLICT")
	errNotPublished   = sdk.Refuse(http.StatusConflict, "SLIDE_NOT_PUBLISHED")
	errImage          = sdk.Refuse(http.StatusBadRequest, "IMAGE_INVALID")
	errImageUnknown   = sdk.Refuse(http.StatusBadRequest, "IMAGE_UNKNOWN") // a slide names it
	errExportTooLarge = sdk.Refuse(http.StatusConflict, "EXPORT_TOO_LARGE")
	errImport         = sdk.Refuse(http.StatusBadRequest, "IMPORT_INVALID")
	errNoImage        = sdk.Refuse(http.StatusNotFound, "IMAGE_NOT_FOUND")
)

// slideID returns the path's id. An id in another format does not exist.
func slideID(r *http.Request) (string, error) {
	id := r.PathValue("id")
	if !isID(id) {
		return "", errNotFound
	}
	return id, nil
}

func isID(text string) bool {
	id, err := uuid.Parse(text)
	return err == nil && id.String() == text
}
