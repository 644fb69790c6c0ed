package platform

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/narthex-platform/narthex/services/httpserver"
)

// shutdownReport is printed beside the codes after a shutdown with failures.
type shutdownReport struct {
	DrainTimedOut     bool `json:"drainTimedOut"`
	ConnectionsForced bool `json:"connectionsForced"`
	ModuleStopFailed  bool `json:"moduleStopFailed"`
	RollbackFailed    bool `json:"rollbackFailed"`
}

// reportShutdown prints the report if err holds a failure of stopping.
func reportShutdown(w io.Writer, err error) {
	codes := FailureCodes(err)
	has := func(code string) bool { return slices.Contains(codes, code) }
	drained := !errors.Is(err, httpserver.ErrDrain)
	report := shutdownReport{
		DrainTimedOut:     !drained,
		ConnectionsForced: !drained,
		ModuleStopFailed:  has("MODULE_STOP_TIMEOUT") || has("MODULE_STOP_FAILED"),
		RollbackFailed:    has("MODULE_ROLLBACK_TIMEOUT"),
	}
	if report == (shutdownReport{}) {
		return
	}
	if text, err := json.Marshal(report); err == nil {
		fmt.Fprintln(w, string(text))
	}
}
