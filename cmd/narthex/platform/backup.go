package platform

import (
	"context"
	"errors"
	"time"

	"github.com/narthex-platform/narthex/migrations"
	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/services/authorization"
	"github.com/narthex-platform/narthex/services/backup"
	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/identity"
	"github.com/narthex-platform/narthex/services/people"
	"github.com/narthex-platform/narthex/storage"
)

// BackupLimit limits the duration of the backup commands.
const BackupLimit = 12 * time.Hour

// WithBackups opens what the backup commands need: the database and, if object storage is configured, the
// buckets of the installed modules. If installed is nil, it opens no buckets.
func WithBackups(
	ctx context.Context, settings environment.Settings, installed *catalog.Catalog,
	f func(context.Context, backup.Installation) error,
) (err error) {
	ctx, cancel := context.WithTimeout(ctx, BackupLimit)
	defer cancel()
	if settings.Database, err = database.WithSessions(ctx, settings.Database); err != nil {
		return err
	}
	folder, remove, err := temporaryFolder()
	if err != nil {
		return backup.ErrFailed
	}
	defer func() { err = errors.Join(err, remove()) }()
	installation := backup.Installation{
		Connect: database.Config(
			settings.Database,
		), Platform: abi.PlatformVersion, SharedRole: !settings.Production,
	}
	if installation.Programs, err = database.LibpqEnvironment(settings.Database, folder); err != nil {
		return backup.ErrFailed
	}
	if settings.Storage.Endpoint != "" && installed != nil {
		provider, err := storage.New(settings.Storage)
		if err != nil {
			return environment.ErrObjectStorage
		}
		defer provider.Close()
		for _, module := range installed.Modules {
			for _, bucket := range module.Manifest.Buckets {
				installation.Buckets = append(installation.Buckets, backup.Bucket{
					Module: module.Manifest.ID, Bucket: bucket, Store: provider.Bucket(module.Manifest.ID, bucket),
				})
			}
		}
	}
	return f(ctx, installation)
}

// Restore restores a backup, applies the migrations that it lacks, and erases again the people listed in
// erased. It returns those of them who own the platform in the backup, and so could not be erased.
func Restore(
	ctx context.Context, settings environment.Settings, installed *catalog.Catalog,
	installation backup.Installation, path, ageKey string, erased []string,
) (m backup.Manifest, owners []string, err error) {
	m, err = backup.Restore(ctx, installation, path, ageKey, func(ctx context.Context) (err error) {
		_, err = migrations.Apply(ctx, migrations.Options{
			Connect: migrations.WithinRestore(installation.Connect),
			Modules: MigrationLines(installed), SharedRole: installation.SharedRole,
		})
		if err == nil && len(erased) > 0 {
			owners, err = eraseAgain(ctx, settings, installed, erased)
		}
		return err
	})
	return m, owners, err
}

func eraseAgain(
	ctx context.Context, settings environment.Settings, installed *catalog.Catalog, erased []string,
) (owners []string, err error) {
	registry, err := ComposeRegistry(installed)
	if err != nil {
		return nil, err
	}
	db, err := database.Open(settings.Database)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	grants := authorization.New(registry, authorization.NewStore(db.Pool()), nil, nil)
	owners, err = people.EraseAgain(
		ctx,
		people.NewStore(db.Pool()),
		identity.NewStore(db.Pool()),
		grants,
		erased,
	)
	return owners, StoreFailure(err)
}
