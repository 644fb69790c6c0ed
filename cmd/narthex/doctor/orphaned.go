package doctor

import (
	"context"

	"github.com/narthex-platform/narthex/cmd/narthex/platform"
	"github.com/narthex-platform/narthex/services/authorization"
	"github.com/narthex-platform/narthex/services/database"
)

// orphaned warns of permissions that people hold and an installed module has no more.
func (e *Examination) orphaned(ctx context.Context, db *database.Database) {
	held, err := authorization.NewStore(db.Pool()).Holders(ctx)
	if err != nil {
		e.blockAll(platform.StoreFailure(err))
		return
	}
	for _, id := range platform.Orphaned(e.Installed, held) {
		e.warn(platform.PermissionOrphaned, platform.OrphanedSentence(id, held[id]))
	}
}
