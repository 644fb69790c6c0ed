package doctor

import (
	"context"
	"maps"
	"slices"

	"github.com/narthex-platform/narthex/modulehost/decisions/configuration"
	"github.com/narthex-platform/narthex/services/database"
)

// unknownSettings reports stored values that no module reads, because its version declares no such key. They
// stay, so that an older version finds them again.
func (e *Examination) unknownSettings(ctx context.Context, db *database.Database) {
	stored, err := configuration.NewStore(db.Pool()).All(ctx)
	if err != nil {
		e.blockAll(err)
		return
	}
	for _, id := range slices.Sorted(maps.Keys(stored)) {
		module, installed := e.Installed.Module(id)
		if !installed {
			continue
		}
		unknown := maps.Clone(stored[id].Values)
		for _, declared := range module.Manifest.Configuration {
			delete(unknown, declared.Key)
		}
		for _, key := range slices.Sorted(maps.Keys(unknown)) {
			e.warn("SETTING_UNREAD", "Nothing reads "+key+" of the module "+id+
				": the version that is installed has no such setting.")
		}
	}
}
