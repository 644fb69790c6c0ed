package databasetest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/narthex-platform/narthex/services/database/poolertest"
)

// PoolerVariable puts PgBouncer in transaction mode between the tests and their server if it is set. "make
// proof" runs the tests of databases once with it.
const PoolerVariable = "NARTHEX_TEST_POOLER"

// throughSessions is how many transactions of one user of one database run at once; more than the tests keep
// open together.
const throughSessions = 60

// startPooler starts PgBouncer in a folder beside the server's.
func (s *server) startPooler() error {
	if os.Getenv(PoolerVariable) == "" {
		return nil
	}
	server, err := s.settings("postgres")
	if err != nil {
		return err
	}
	folder := filepath.Join(s.folder, "pooler")
	if err := os.Mkdir(folder, 0o755); err != nil {
		return err
	}
	s.pooler, err = poolertest.Run(folder, server, poolertest.Transaction, throughSessions)
	return err
}

// NeedsSessions skips a test of what an installation behind a transaction pooler does not do, or which looks
// at sessions itself, when the tests run through one.
func NeedsSessions(t testing.TB, why string) {
	t.Helper()
	if os.Getenv(PoolerVariable) != "" {
		t.Skip("not through a transaction pooler: " + why)
	}
}
