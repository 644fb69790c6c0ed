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
	"github.com/narthex-platform/narthex/services/authorization"
	"github.com/narthex-platform/narthex/services/backup"
	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/services/environment"
)

// Rehearse applies the migrations of this program and of the modules to a copy of the installation's
// database. It starts the platform on the copy, on a free loopback port, sends every module some requests,
// stops it and drops the copy. The installation's own database is only read, and its platform may run
// meanwhile. The modules are the installed ones and those of dir, if it is not "" (rehearsegiven.go).
//
// The Rehearsal has what would go wrong. An error means that there is no result: the codes of backup.Clone,
// those of a modules directory, or ctx's error.
func Rehearse(
	ctx context.Context, settings environment.Settings, supplied Secrets, dir string,
	progress func(step string, bytes int64),
) (_ *Rehearsal, err error) {
	r := &rehearsing{Rehearsal: &Rehearsal{Platform: abi.PlatformVersion, Verdict: WouldWork},
		settings: settings, supplied: supplied, progress: progress}
	remove, err := r.giveModules(dir)
	if err != nil {
		return nil, err
	}
	defer func() {
		if remove() != nil && err == nil {
			err = backup.ErrFailed
		}
	}()
	if r.Verdict == WouldFail {
		return r.Rehearsal, nil
	}
	began := time.Now()
	err = WithBackups(ctx, settings, nil, func(ctx context.Context, i backup.Installation) error {
		i.Progress = progress
		return backup.Clone(ctx, i, func(ctx context.Context, made backup.Scratch) error {
			m, took := made.Manifest, time.Since(began).Seconds()
			r.Database = RehearsalDatabase{len(m.Tables), m.Rows(), took}
			return r.run(ctx, made)
		})
	})
	return r.Rehearsal, errors.Join(err, ctx.Err())
}

// rehearsing is the state of one call of Rehearse.
type rehearsing struct {
	*Rehearsal
	settings environment.Settings // of the copy, when run has begun
	supplied Secrets
	progress func(step string, bytes int64)
	server   *Server

	modules   *catalog.Catalog           // what a start would find
	installed *catalog.Catalog           // nil: with the modules installed now this program would not start
	before    map[string]*catalog.Module // the installed ones that this program can read, by id
	changed   map[string]bool            // by id: the modules from the other folder
}

// run does all work in the copy. Its error is ctx's, or the database's own.
func (r *rehearsing) run(ctx context.Context, made backup.Scratch) error {
	r.stayInCopy(made.Connect.Database)
	r.progress("migrations", 0)
	if err := r.migrate(ctx, made); err != nil || r.Verdict == WouldFail {
		return err
	}
	if err := r.foresee(ctx); err != nil {
		return err
	}
	r.progress("starting the platform", 0)
	r.server = NewServer(r.settings, r.supplied.placeholders(), zap.NewNop())
	r.server.rehearsing = true
	began := time.Now()
	if err := r.server.Start(ctx); err != nil {
		r.failWith("", err)
		return ctx.Err()
	}
	r.Started = time.Since(began).Seconds()
	r.progress("asking the modules", 0)
	err := r.ask(ctx)
	r.progress("stopping the platform", 0)
	for _, failure := range Failures(r.server.stop(r.server.tree.Stop)) {
		r.warn("", failure.Code(), "The platform did not stop cleanly.")
	}
	return err
}

// stayInCopy changes the settings to those for the copy, without anything that has effects outside: mail,
// other processes, metrics and the secrets.
func (r *rehearsing) stayInCopy(database string) {
	s := &r.settings
	s.Database.Name = database
	s.Server = environment.Server{Host: "127.0.0.1"}
	s.ClientAddress = environment.ClientAddress{}
	s.Identity.Secret = environment.NewSecret(rand.Text() + rand.Text())
	s.Identity.PreviousSecret = environment.Secret{}
	s.Mail, s.Realtime, s.Metrics = environment.Mail{}, environment.Realtime{}, environment.Metrics{}
}

// migrate applies all files. Whatever would go wrong is a finding, except a database that does not respond.
func (r *rehearsing) migrate(ctx context.Context, made backup.Scratch) error {
	lines, rows := MigrationLines(r.modules), make(map[string]int64)
	for _, table := range made.Manifest.Tables {
		rows[table.Schema+"."+table.Name] = table.Rows
	}
	_, err := migrations.Apply(ctx, migrations.Options{
		Connect: made.Connect, Modules: lines, SharedRole: !r.settings.Production,
		RolePrefix: made.RolePrefix, Home: made.Home,
		Observe: func(o migrations.Observation) {
			r.observe(o, rows)
			r.progress("migration "+o.Line+"/"+o.File, 0)
		},
	})
	if err == nil || ctx.Err() != nil || errors.Is(err, migrations.ErrUnreachable) {
		return err
	}
	r.failWith("", err)
	r.cause = err
	conn, err := migrations.Connect(ctx, made.Connect)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	left, err := migrations.Status(ctx, conn, lines)
	if err != nil {
		return nil // a ledger that cannot be read is the failure that was found
	}
	for _, line := range left.Lines {
		for _, file := range line.Pending {
			name := fmt.Sprintf("%04d_%s.sql", file.Version, file.Name)
			r.Pending = append(r.Pending, PendingMigration{line.Line, name})
		}
	}
	return nil
}

// foresee finds out what a start would do with each module. A module that is blocked already now is not a
// failure of the upgrade.
func (r *rehearsing) foresee(ctx context.Context) error {
	var then, now []ListedModule
	var held map[string]int
	list := func(db *database.Database) (err error) {
		if held, err = authorization.NewStore(db.Pool()).Holders(ctx); err != nil {
			return err
		}
		then, err = ListModules(ctx, NewResolver(r.modules, db, r.settings, r.supplied))
		if err == nil && r.installed != nil {
			now, err = ListModules(ctx, NewResolver(r.installed, db, r.settings, r.supplied))
		}
		return err
	}
	err := WithDatabase(ctx, r.settings.Database, MigrationLines(r.modules), list)
	if err != nil {
		return err
	}
	for _, m := range then {
		module := r.compare(m)
		r.Modules = append(r.Modules, module)
		for _, id := range module.Changes.PermissionsRemoved {
			if held[id] > 0 {
				r.warn(m.ID, PermissionOrphaned, OrphanedSentence(id, held[id]))
			}
		}
		asNow := !r.changed[m.ID] && slices.ContainsFunc(now, func(n ListedModule) bool {
			return n.ID == m.ID && n.Next.State == catalog.Blocked
		})
		switch {
		case m.Next.State != catalog.Blocked:
		case asNow:
			r.warn(m.ID, "MODULE_BLOCKED", m.ID+" would not run, as now: "+m.Because+".")
		default:
			r.fail(m.ID, "MODULE_BLOCKED", m.ID+" would not run: "+m.Because+".")
		}
	}
	return nil
}

// compare compares a module with the installed one. Its routes are known later.
func (r *rehearsing) compare(m ListedModule) RehearsedModule {
	module := RehearsedModule{ListedModule: m}
	var before []string
	if installed := r.before[m.ID]; installed != nil {
		module.Installed = installed.Manifest.Version.String()
		before = permissionIDs(installed.Manifest)
	}
	given, _ := r.modules.Module(m.ID)
	c := &module.Changes
	c.PermissionsAdded, c.PermissionsRemoved = differ(before, permissionIDs(given.Manifest))
	for _, migration := range r.Migrations {
		if migration.Line == m.ID {
			c.Migrations = append(c.Migrations, migration.File)
		}
	}
	return module
}

// differ returns what was added and what was removed.
func differ(before, after []string) (added, removed []string) {
	without := func(list, others []string) []string {
		return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(others, s) })
	}
	return without(after, before), without(before, after)
}
