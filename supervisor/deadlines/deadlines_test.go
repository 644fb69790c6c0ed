package deadlines_test

import (
	"testing"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

// TestOperatorsDeadlines: a daemon that is built without a tag has the whole deadlines. Those that the SDK
// tells authors are the same there.
func TestOperatorsDeadlines(t *testing.T) {
	for name, row := range map[string]struct{ got, want time.Duration }{
		"Stop":       {deadlines.Stop, 10 * time.Second},
		"Terminate":  {deadlines.Terminate, time.Second},
		"Stuck":      {deadlines.Stuck, 30 * time.Second},
		"Response":   {deadlines.Response, 30 * time.Second},
		"Erase":      {deadlines.Erase, abi.EraseWithin},
		"Export":     {deadlines.Export, abi.ExportWithin},
		"Run":        {deadlines.Run, abi.RunWithin},
		"IdleMinute": {deadlines.IdleMinute, time.Minute},
		"Capability": {deadlines.Capability, abi.CapabilityWithin},
	} {
		if row.got != row.want {
			t.Errorf("%s is %s, want %s", name, row.got, row.want)
		}
	}
}

// TestOrder: where one deadline shall pass before another, it is shorter.
func TestOrder(t *testing.T) {
	for why, row := range map[string]struct{ first, second time.Duration }{
		"a statement ends on the server before its caller gives up": {deadlines.Statement, deadlines.Lease},
		"a module's database work fails before the module's caller": {deadlines.Acquire, deadlines.Response},
		"a request's database work ends before a client gives up":   {deadlines.Store, deadlines.Request},
		"a module gives up on another before its own caller does":   {deadlines.Capability, deadlines.Response},
		"the platform ends a transaction before PostgreSQL does":    {deadlines.Lease, deadlines.ModuleIdleSession},
	} {
		if row.first >= row.second {
			t.Errorf("%s: %s is not shorter than %s", why, row.first, row.second)
		}
	}
}
