package main

import (
	"net/http"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// The refusals that a caller can avoid, besides sdk.ErrRequestInvalid.
var (
	errNotFound       = sdk.Refuse(http.StatusNotFound, "SLIDE_NOT_FOUND")
	errConflict       = sdk.Refuse(http.StatusConflict, "CONFLICT")
	errNotPublished   = sdk.Refuse(http.StatusConflict, "SLIDE_NOT_PUBLISHED")
	errImage          = sdk.Refuse(http.StatusBadRequest, "IMAGE_INVALID")
	errImageMoving    = sdk.Refuse(http.StatusBadRequest, "IMAGE_MOVES")
	errImagePhone     = sdk.Refuse(http.StatusBadRequest, "IMAGE_OF_A_PHONE") // HEIC
	errImageUnknown   = sdk.Refuse(http.StatusBadRequest, "IMAGE_UNKNOWN")    // a slide names it
	errExportTooLarge = sdk.Refuse(http.StatusConflict, "EXPORT_TOO_LARGE")
	errNoImport       = sdk.Refuse(http.StatusNotFound, "IMPORT_NOT_FOUND") // or it is too old to be undone
	errNoImage        = sdk.Refuse(http.StatusNotFound, "IMAGE_NOT_FOUND")
)
