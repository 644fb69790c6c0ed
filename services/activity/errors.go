package activity

import (
	"fmt"

	"github.com/narthex-platform/narthex/services/httpapi"
)

// unavailable gives a failure of the store its code.
func unavailable(err error) error { return fmt.Errorf("%w: %w", httpapi.ErrStore, err) }
