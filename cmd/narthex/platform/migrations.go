package platform

import (
	"context"
	"time"

	"github.com/narthex-platform/narthex/migrations"
	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/services/environment"
)

// MigrationLimit is for the largest tables; a run that is cut off leaves complete files, and the next one
// goes on.
const MigrationLimit = time.Hour

func ApplyMigrations(
	ctx context.Context, settings environment.Settings, installed *catalog.Catalog,
) (migrations.Report, error) {
	ctx, cancel := context.WithTimeout(ctx, MigrationLimit)
	defer cancel()
	return migrations.Apply(ctx, migrations.Options{
		Connect:    database.Config(settings.Database),
		Modules:    MigrationLines(installed),
		SharedRole: !settings.Production,
	})
}
