package navigation

import "github.com/narthex-platform/narthex/services/httpapi"

// The codes of the routes, in addition to the pipeline's. After each of them nothing was written.
const (
	ErrGroupNotFound = httpapi.Error("NAVIGATION_GROUP_NOT_FOUND") // 404: the group of a placement is unknown
	ErrNotInstalled  = httpapi.Error("MODULE_NOT_INSTALLED")       // 404: neither installed nor placed
)
