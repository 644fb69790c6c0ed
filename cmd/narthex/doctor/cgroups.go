package doctor

import (
	"context"

	"github.com/narthex-platform/narthex/modulehost/modulelogs"
	"github.com/narthex-platform/narthex/modulehost/process"
	"github.com/narthex-platform/narthex/services/environment"
)

// cgroups reports which limits the modules of the running platform have. This process itself may have other
// limits.
func (e *Examination) cgroups(ctx context.Context) {
	if e.Sound&environment.ServerSection == 0 {
		return
	}
	pid, err := modulelogs.Platform(ctx, modulelogs.Folder(e.lookup, int(e.Settings.Server.Port)))
	if err != nil {
		return // it does not run, or belongs to another user
	}
	if group := process.CgroupOf(pid); group != "" && process.Bounded(group) {
		e.ok("Limits: each module's memory, processes and CPU are bounded by a control group of its own.")
	} else {
		e.ok("Limits: modules have no control groups of their own (the service has none delegated), so each is " +
			"bounded by the limits of its process.")
	}
}
