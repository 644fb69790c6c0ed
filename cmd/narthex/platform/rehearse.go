package platform

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/migrations"
	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/services/backup"
	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/services/environment"
)

// Rehearse applies the migrations of this program and of the modules to a copy of the installation's
// database. It starts the platform on the copy, on a free loopback port, sends every module some requests,
// stops it and drops the copy. The installation's own database is only read, and its platform may run
// meanwhile.
//
// The Rehearsal holds what would go wrong. An error means that the rehearsal has no result: the codes of
// backup.Clone, or ctx's error.
func Rehearse(
	ctx context.Context, settings environment.Settings, supplied Secrets, given *GivenModules,
	installation backup.Installation,
) (*Rehearsal, error) {
	r := &rehearsing{
		Rehearsal: &Rehearsal{Platform: abi.PlatformVersion, Findings: []RehearsalFinding{},
			Migrations: []RehearsedMigration{}, Pending: []PendingMigration{}, Modules: []RehearsedModule{}},
		settings: settings, supplied: supplied, given: given, installation: installation,
	}
	if given.Catalog == nil {
		r.Findings = append(r.Findings, given.findings...)
		r.conclude()
		return r.Rehearsal, nil
	}
	r.modules = given.Catalog
	began := time.Now()
	err := backup.Clone(ctx, installation, func(ctx context.Context, made backup.Scratch) error {
		r.Database = RehearsalDatabase{len(made.Manifest.Tables), made.Manifest.Rows(), seconds(time.Since(began))}
		return r.run(ctx, made)
	})
	if ctx.Err() != nil {
		return nil, errors.Join(ctx.Err(), err)
	}
	if err != nil {
		return nil, err
	}
	r.conclude()
	return r.Rehearsal, nil
}

// rehearsing is the state of one call of Rehearse.
type rehearsing struct {
	*Rehearsal
	settings     environment.Settings
	supplied     Secrets
	given        *GivenModules
	modules      *catalog.Catalog
	installation backup.Installation
	server       *Server
}

// run does all work in the copy. Its error is ctx's, or the database's own.
func (r *rehearsing) run(ctx context.Context, made backup.Scratch) error {
	r.settings = scratchSettings(r.settings, made.Connect.Database)
	r.settings.Modules = r.given.modules
	r.tell("migrations")
	migrated, err := r.migrate(ctx, made)
	if err != nil || !migrated {
		return err
	}
	if err := r.foresee(ctx); err != nil {
		return err
	}
	r.tell("starting the platform")
	r.server = NewServer(r.settings, r.supplied.placeholders(), zap.NewNop())
	r.server.rehearsing = true
	began := time.Now()
	if err := r.server.Start(ctx); err != nil {
		if ctx.Err() == nil {
			r.failWith(err)
		}
		return ctx.Err()
	}
	r.Started = seconds(time.Since(began))
	r.tell("asking the modules")
	err = r.ask(ctx)
	r.tell("stopping the platform")
	if stopped := r.server.stop(r.server.tree.Stop); stopped != nil && err == nil && ctx.Err() == nil {
		for _, failure := range Failures(stopped) {
			r.warn("", failure.Code(), "The platform did not stop cleanly.")
		}
	}
	return errors.Join(err, ctx.Err())
}

func (r *rehearsing) tell(step string) {
	if r.installation.Progress != nil {
		r.installation.Progress(step, 0)
	}
}

// scratchSettings returns the installation's settings for another database, without anything that has effects
// outside: mail, other processes, metrics and the secrets.
func scratchSettings(settings environment.Settings, name string) environment.Settings {
	settings.Database.Name = name
	settings.Server = environment.Server{Host: "127.0.0.1"}
	settings.ClientAddress = environment.ClientAddress{}
	settings.Identity.Secret = environment.NewSecret(rand.Text() + rand.Text())
	settings.Identity.PreviousSecret = environment.Secret{}
	settings.Mail = environment.Mail{}
	settings.Realtime = environment.Realtime{}
	settings.Metrics = environment.Metrics{}
	return settings
}

// migrate reports whether all files were applied. Whatever would go wrong is a finding, except a database
// that does not respond.
func (r *rehearsing) migrate(ctx context.Context, made backup.Scratch) (bool, error) {
	lines := MigrationLines(r.modules)
	_, err := migrations.Apply(ctx, migrations.Options{
		Connect: made.Connect, Modules: lines, SharedRole: r.installation.SharedRole, RolePrefix: made.RolePrefix,
		Observe: func(o migrations.Observation) {
			r.observe(o, made.Manifest.Tables)
			r.tell("migration " + o.Line + "/" + o.File)
		},
	})
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case errors.Is(err, migrations.ErrUnreachable):
		return false, err
	case err == nil:
		return true, nil
	}
	r.failWith(err)
	r.cause = err
	conn, err := migrations.Connect(ctx, made.Connect)
	if err != nil {
		return false, err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if left, err := migrations.Status(ctx, conn, lines); err == nil {
		for _, line := range left.Lines {
			for _, file := range line.Pending {
				r.Pending = append(r.Pending, PendingMigration{line.Line,
					fmt.Sprintf("%04d_%s.sql", file.Version, file.Name)})
			}
		}
	}
	return false, nil
}

// foresee finds out what a start would do with each module. A module that is blocked already now is not a
// failure of the upgrade.
func (r *rehearsing) foresee(ctx context.Context) error {
	return WithDatabase(ctx, r.settings.Database, MigrationLines(r.modules), func(db *database.Database) error {
		then, err := ListModules(ctx, NewResolver(r.modules, db, r.settings, r.supplied))
		if err != nil {
			return err
		}
		now := make(map[string]catalog.RuntimeState)
		if r.given.installed != nil {
			listed, err := ListModules(ctx, NewResolver(r.given.installed, db, r.settings, r.supplied))
			if err != nil {
				return err
			}
			for _, m := range listed {
				now[m.ID] = m.Next.State
			}
		}
		for _, m := range then {
			module := RehearsedModule{ID: m.ID, Name: m.Name, Version: m.Version, Next: m.Next, Because: m.Because,
				UI: []AskedScript{}, Changes: r.changes(m.ID)}
			if before := r.given.before[m.ID]; before != nil {
				module.Installed = before.Manifest.Version.String()
			}
			if m.Next.State == catalog.Blocked {
				if r.given.changed[m.ID] || now[m.ID] != catalog.Blocked {
					r.fail(m.ID, "MODULE_BLOCKED", m.ID+" would not run: "+m.Because+".")
				} else {
					r.warn(m.ID, "MODULE_BLOCKED", m.ID+" would not run, as now: "+m.Because+".")
				}
			}
			r.Modules = append(r.Modules, module)
		}
		return nil
	})
}

// changes compares a module's manifest with that of the installed one.
func (r *rehearsing) changes(id string) ModuleChanges {
	c := ModuleChanges{PermissionsAdded: []string{}, PermissionsRemoved: []string{}, RoutesAdded: []string{},
		RoutesRemoved: []string{}, Migrations: []string{}}
	var before []string
	if installed := r.given.before[id]; installed != nil {
		before = permissionIDs(installed.Manifest)
	}
	module, _ := r.modules.Module(id)
	c.PermissionsAdded, c.PermissionsRemoved = differ(before, permissionIDs(module.Manifest))
	for _, m := range r.Migrations {
		if m.Line == id {
			c.Migrations = append(c.Migrations, m.File)
		}
	}
	return c
}

// differ returns what was added and what was removed.
func differ(before, after []string) (added, removed []string) {
	added, removed = []string{}, []string{}
	for _, one := range after {
		if !slices.Contains(before, one) {
			added = append(added, one)
		}
	}
	for _, one := range before {
		if !slices.Contains(after, one) {
			removed = append(removed, one)
		}
	}
	return added, removed
}
