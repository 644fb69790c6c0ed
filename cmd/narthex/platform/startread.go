package platform

import (
	"context"

	"github.com/narthex-platform/narthex/migrations"
	"github.com/narthex-platform/narthex/services/configuration"
	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/services/enablement"
)

// stored is what a start reads from the database, besides the house.
type stored struct {
	decisions enablement.Decisions
	documents configuration.Documents
	roles     map[string]database.ModuleRole
}

// checked is the result of checkDatabase.
type checked struct {
	stored *stored // nil: readStored must read it
	err    error
}

// checkInBackground runs checkDatabase beside the steps that need no database, because a new session takes a
// fifth of a start, mostly in the server.
func (s *Server) checkInBackground(ctx context.Context) {
	result := make(chan checked, 1)
	s.checked = result
	s.checking.Go(func() {
		found, err := s.checkDatabase(ctx)
		result <- checked{found, err}
	})
}

// checkDatabase tests whether server and schema can be used, and reads what the start needs. One round trip
// does both: eight of them, one after the other, took a tenth of a start. If it finds anything wrong, every
// check and every read is done alone, which returns its error.
func (s *Server) checkDatabase(ctx context.Context) (*stored, error) {
	lines := MigrationLines(s.catalog)
	schema, found := migrations.NewQuickCheck(lines), &stored{}
	readings := []database.Reading{
		database.NewReading(schema.Ledger()),
		database.NewReading(s.house.ReadFirst()),
		database.NewReading(enablement.ReadDecisions(&found.decisions)),
		database.NewReading(configuration.ReadAll(&found.documents)),
		database.ReadModuleRoles(&found.roles),
	}
	if len(lines) > 0 {
		readings = append(readings, database.NewReading(schema.Roles()))
	}
	read, err := s.database.CheckAndRead(ctx, readings...)
	if err != nil {
		return nil, err
	}
	if read && schema.Passed() {
		return found, nil
	}
	return nil, migrations.Check(ctx, s.database.Pool(), lines)
}

// readStored reads one after the other what checkDatabase reads at once.
func (s *Server) readStored(ctx context.Context) (found *stored, err error) {
	found = &stored{}
	if found.decisions, found.documents, err = s.resolver.read(ctx); err != nil {
		return nil, err
	}
	if found.roles, err = s.database.ModuleRoles(ctx); err != nil {
		return nil, causedError{enablement.ErrRead, err}
	}
	return found, nil
}
