package conformance

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/narthex-platform/narthex/migrations"
	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/services/environment"
)

// scratch is the database of one trial.
type scratch struct {
	settings environment.Database
	release  func() error
	opened   *database.Database
	pool     *database.ModulePool // with the module's own role; nil before the migrations
	schema   string               // of the module
	before   catalogue            // of everything else, before the module ran
}

func (s *scratch) close() error {
	var err error
	if s.opened != nil {
		err = s.opened.Close()
	}
	return errors.Join(err, s.release())
}

// line returns the module's SQL files as a migration line.
func (t *trial) line() migrations.Line {
	l := migrations.Line{ID: t.module.Manifest.ID}
	for _, file := range t.module.Migrations {
		l.Files = append(l.Files, migrations.File{Version: file.Version, Name: file.Name, SQL: file.SQL})
	}
	return l
}

func (s *scratch) apply(ctx context.Context, line migrations.Line) (migrations.Report, error) {
	return migrations.Apply(ctx, migrations.Options{Connect: database.Config(s.settings),
		Modules: []migrations.Line{line}, SharedRole: true})
}

// openScratch creates the module's role and schema, and reads the catalogue of the database.
func (t *trial) openScratch(ctx context.Context) error {
	if t.options.Database == nil {
		return errors.New("no database was given")
	}
	settings, release, err := t.options.Database(ctx)
	if err != nil {
		return err
	}
	s := &scratch{settings: settings, release: release, schema: migrations.Schema(t.module.Manifest.ID)}
	t.database = s
	if s.opened, err = database.Open(settings); err != nil {
		return err
	}
	if _, err := s.apply(ctx, migrations.Line{ID: t.module.Manifest.ID}); err != nil {
		return err
	}
	s.before, err = s.read(ctx, s.schema)
	return err
}

func checkMigrations(ctx context.Context, t *trial) outcome {
	if err := t.openScratch(ctx); err != nil {
		return t.notCarriedOut(err)
	}
	report, err := t.database.apply(ctx, t.line())
	if err != nil {
		return failed("%s", migrationWords(err))
	}
	roles, err := t.database.opened.ModuleRoles(ctx)
	if err != nil {
		return t.notCarriedOut(err)
	}
	if t.database.pool, err = t.database.opened.OpenModule(roles[t.module.Manifest.ID]); err != nil {
		return t.notCarriedOut(err)
	}
	t.migrated = true
	return passed("%d files", appliedNow(report, t.module.Manifest.ID))
}

// migrationWords returns file, line and PostgreSQL's message, which contains no data of others because the
// database is the trial's own.
func migrationWords(err error) string {
	stop, found := migrations.Stopped(err)
	if !found {
		return err.Error()
	}
	return fmt.Sprintf("%s line %d: %s", stop.File, stop.At, stop.Message)
}

// appliedNow counts the files of a line that a run applied.
func appliedNow(report migrations.Report, line string) (files int) {
	for _, l := range report.Lines {
		for _, e := range l.Applied {
			if l.Line == line && e.New {
				files++
			}
		}
	}
	return files
}

func checkMigrationsTwice(ctx context.Context, t *trial) outcome {
	if !t.migrated {
		return notApplicable("the migrations were not applied")
	}
	s := t.database
	before, err := s.read(ctx, "")
	if err != nil {
		return t.notCarriedOut(err)
	}
	report, err := s.apply(ctx, t.line())
	if err != nil {
		return failed("%s", migrationWords(err))
	}
	after, err := s.read(ctx, "")
	switch changes := before.differences(after); {
	case err != nil:
		return t.notCarriedOut(err)
	case appliedNow(report, t.module.Manifest.ID) > 0 || report.Pending():
		return failed("%d files ran again", appliedNow(report, t.module.Manifest.ID))
	case len(changes) > 0:
		return failed("%s", strings.Join(changes, "; "))
	}
	return passed("%d files in the history", len(t.module.Migrations))
}

// outside returns the differences from the beginning, without the module's own schema.
func (s *scratch) outside(ctx context.Context, line migrations.Line) (changes []string, err error) {
	after, err := s.read(ctx, s.schema)
	if err != nil {
		return nil, fmt.Errorf("read the database's catalog: %w", err)
	}
	changed, err := migrations.ChangedRoles(ctx, database.Config(s.settings), []migrations.Line{line})
	if err != nil {
		return nil, err
	}
	changes = s.before.differences(after)
	if len(changed) > 0 {
		changes = append(changes, "the settings or the password of the module's role")
	}
	return changes, nil
}
