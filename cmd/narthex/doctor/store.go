package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/narthex-platform/narthex/cmd/narthex/platform"
	"github.com/narthex-platform/narthex/migrations"
	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/services/activity"
	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/house"
	"github.com/narthex-platform/narthex/services/identity"
	"github.com/narthex-platform/narthex/services/secondfactor"
)

// Store checks the database: whether it is usable, and which modules a start would run with it.
func (e *Examination) Store(ctx context.Context) {
	if e.Sound&environment.DatabaseSection == 0 || e.Installed == nil {
		return
	}
	e.servers(ctx)
	e.blockAll(database.CheckConnections(e.Settings.Database, len(platform.MigrationLines(e.Installed))))
	err := platform.WithDatabase(ctx, e.Settings.Database, platform.MigrationLines(e.Installed),
		func(db *database.Database) error {
			e.ok("Database: reachable, a version that is supported, every migration applied.")
			e.owner(ctx, db)
			e.orphaned(ctx, db)
			e.roles(ctx, db)
			e.changedRoles(ctx)
			e.rights(ctx, db)
			e.connections(ctx, db)
			e.server(ctx, db)
			e.processes(ctx, db)
			e.listeners(ctx, db)
			e.activity(ctx, db)
			e.backup(ctx, db)
			e.secondFactor(ctx, db)
			e.timeZone(ctx, db)
			e.unknownSettings(ctx, db)
			e.links(ctx, db)
			if e.Sound&environment.HostSection == 0 {
				return nil
			}
			modules, err := platform.ListModules(ctx,
				platform.NewResolver(e.Installed, db, e.Settings, platform.Secrets{Lookup: e.lookup}))
			e.Modules = append(e.Modules, modules...)
			for _, m := range modules {
				if m.Next.State == catalog.Blocked {
					e.warn("MODULE_BLOCKED", m.ID+" will not start: "+m.Because+".")
				} else {
					e.ok("Module %s %s: %s at the next start.", m.ID, m.Version, m.Outcome())
				}
			}
			return err
		})
	e.blockAll(err)
	if errors.Is(err, migrations.ErrSchemaMissing) || errors.Is(err, migrations.ErrSchemaOutdated) {
		e.predictMigration(ctx)
	}
}

// predictMigration reports what would stop migrations:apply, which another finding has just recommended.
func (e *Examination) predictMigration(ctx context.Context) {
	db, err := database.Open(e.Settings.Database)
	if err != nil {
		e.blockAll(err)
		return
	}
	missing, err := migrations.Unprovided(ctx, db.Pool(), platform.MigrationLines(e.Installed))
	if err = errors.Join(err, db.Close()); err != nil {
		e.blockAll(err)
	}
	if len(missing) == 0 {
		return
	}
	if e.Settings.Production {
		e.block(migrations.ErrRoleUnavailable.Code(),
			"The database user may not create roles, which "+strings.Join(missing, ", ")+
				" still lack; migrations:apply will print the SQL that an administrator can run instead.")
	} else {
		e.warn(migrations.ErrRoleUnavailable.Code(),
			"The database user may not create roles, so after migrations:apply "+
				strings.Join(missing, ", ")+" will share its role, and nothing will separate their data.")
	}
}

// owner warns if nobody owns the platform. It does not block, because the platform starts.
func (e *Examination) owner(ctx context.Context, db *database.Database) {
	switch owned, err := identity.NewStore(db.Pool()).Owned(ctx); {
	case err != nil:
		e.blockAll(platform.StoreFailure(err))
	case !owned:
		e.warn(identity.ErrOwnerMissing.Code(), "Nobody owns the platform, so nobody can invite others or "+
			"administer it; run identity:create-initial-owner, or authorization:bootstrap-owner for a person who has "+
			"an account.")
	default:
		e.ok("Owner: the platform has one.")
	}
}

// roles warns of modules that use the platform's own database role, which production refuses.
func (e *Examination) roles(ctx context.Context, db *database.Database) {
	roles, err := db.ModuleRoles(ctx)
	if err != nil {
		e.blockAll(platform.StoreFailure(err))
		return
	}
	for _, m := range e.Installed.Modules {
		role, found := roles[m.Manifest.ID]
		if !found || role.Role != "" {
			continue
		}
		message := "Module " + m.Manifest.ID +
			" shares the platform's database role, so nothing separates their data; let " +
			"migrations:apply create roles."
		if e.Settings.Production {
			e.block(migrations.ErrRoleUnavailable.Code(), message)
		} else {
			e.warn(migrations.ErrRoleUnavailable.Code(), message)
		}
	}
}

// changedRoles warns of modules that have changed the settings or the password of their database role.
func (e *Examination) changedRoles(ctx context.Context) {
	changed, err := migrations.ChangedRoles(ctx, database.Config(e.Settings.Database),
		platform.MigrationLines(e.Installed))
	if err != nil {
		e.blockAll(err)
	}
	for _, id := range changed {
		e.warn("MODULE_DATABASE_ROLE_CHANGED",
			"Module "+id+" has changed the settings or the password of its database role; "+
				"migrations:apply sets them again.")
	}
}

// connections compares how many connections this process may open with how many the server accepts.
func (e *Examination) connections(ctx context.Context, db *database.Database) {
	needed := database.Connections(e.Settings.Database, len(platform.MigrationLines(e.Installed)))
	offered, err := db.ServerConnections(ctx)
	switch {
	case err != nil:
		e.blockAll(err)
	case needed > offered:
		e.warn("DATABASE_CONNECTIONS_FEW",
			fmt.Sprintf("A process of the platform may open %d connections, and the database takes %d; "+
				"raise its max_connections, or set SERVICE_DATABASE_CONNECTIONS.", needed, offered))
	default:
		e.ok("Database connections: a process of the platform may open %d, and the database takes %d.", needed,
			offered)
	}
}

// activity prints the count and the hash. Only by comparing them with values noted elsewhere can somebody
// find out that the whole record was rewritten.
func (e *Examination) activity(ctx context.Context, db *database.Database) {
	verdict, err := activity.Verify(ctx, activity.NewStore(db.Pool()))
	switch {
	case err != nil:
		e.blockAll(err)
	case verdict.Broken != 0:
		e.block("ACTIVITY_CHAIN_BROKEN", fmt.Sprintf(
			"The record of who changed what was changed or shortened at entry %d (it counts %d, hash %s); "+
				"compare it with a backup, and find out who can write to the database.",
			verdict.Broken, verdict.Count, verdict.Hash))
	default:
		e.ok("Activity: %d entries, unbroken, hash %s.", verdict.Count, verdict.Hash)
	}
}

// backupAge is the maximum age of the latest verified backup: one night may be missed.
const backupAge = 48 * time.Hour

// backup reports when a backup was last verified. Its absence does not block, because everything works
// without one.
func (e *Examination) backup(ctx context.Context, db *database.Database) {
	const remedy = "; run backup:create and backup:verify, best every night (narthex-backup.timer)."
	run, err := house.NewStore(db.Pool()).LastBackup(ctx)
	switch {
	case err != nil:
		e.blockAll(err)
	case run.VerifiedAt.IsZero():
		e.warn("BACKUP_NOT_VERIFIED", "No backup has been proven yet"+remedy)
	case run.Verdict != nil:
		e.warn("BACKUP_NOT_VERIFIED", "The latest backup is not good: "+*run.Verdict+remedy)
	case time.Since(run.VerifiedAt) > backupAge:
		e.warn("BACKUP_NOT_VERIFIED", "The latest backup was proven more than two days ago"+remedy)
	default:
		e.ok("Backup: the latest one was proven %s.", run.VerifiedAt.UTC().Format("2006-01-02 15:04 UTC"))
	}
}

// timeZone asks for the zone of the house. Without one servers use UTC, and each page that of its browser.
func (e *Examination) timeZone(ctx context.Context, db *database.Database) {
	found, err := house.NewStore(db.Pool()).Read(ctx)
	switch {
	case err != nil:
		e.blockAll(err)
	case found.TimeZone == nil:
		e.warn("HOUSE_TIME_ZONE_MISSING", "The house has no time zone, so mails and calendars use UTC; choose it "+
			"on the Dashboard's page House.")
	default:
		e.ok("House: its times are those of %s.", *found.TimeZone)
	}
}

// secondFactor warns about an owner who is kept from administering the house.
func (e *Examination) secondFactor(ctx context.Context, db *database.Database) {
	lacks, err := secondfactor.NewStore(db.Pool()).OwnerLacks(ctx)
	switch {
	case err != nil:
		e.blockAll(err)
	case lacks:
		e.warn("OWNER_WITHOUT_SECOND_FACTOR", "The house asks its administrators for a second factor, and the "+
			"owner has none, so they cannot administer it; they add a passkey under Account.")
	}
}
