package activity

import (
	"fmt"

	"github.com/narthex-platform/narthex/services/httpapi"
)

// unavailable adds the code STORE_UNAVAILABLE to an error of the store.
func unavailable(err error) error { return fmt.Errorf("%w: %w", httpapi.ErrStore, err) }
