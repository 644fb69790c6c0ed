package doctor

import (
	"context"
	"fmt"

	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/services/environment"
)

// processes warns if several processes run without a backplane between them.
func (e *Examination) processes(ctx context.Context, db *database.Database) {
	switch n, err := db.Processes(ctx); {
	case err != nil:
		e.blockAll(err)
	case n > 1 && e.Sound&environment.HostSection != 0 && len(e.Settings.Realtime.NATS) == 0:
		e.warn("REALTIME_NOT_SHARED",
			fmt.Sprintf("%d processes of the platform use this database without NATS, so readers in one get no "+
				"updates of the others; set SERVICE_REALTIME_NATS_URL for all of them.", n))
	default:
		e.ok("Processes: %d of the platform run on this database.", n)
	}
}
