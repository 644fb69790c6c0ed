package databasetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/migrations"
	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/services/database/cluster"
	"github.com/narthex-platform/narthex/services/environment"
)

// template is the database, migrated once, that New copies.
const template = "narthex_template"

// deadline bounds each operation on the server, with the wait for those before it.
const deadline = 3 * time.Minute

// connectWithin is far longer than the platform waits, because a machine that runs many tests at once is
// slow to check a password.
const connectWithin = time.Minute

// shared is this process's server. It is a package variable because TestMain and the tests share nothing
// else.
var shared server

type server struct {
	mu      sync.Mutex
	usable  bool // between open and close
	folder  string
	cluster *cluster.Cluster
	failed  error
	created int
}

func (s *server) open() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.usable = true
}

// close stops the server and removes its folder.
func (s *server) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.usable = false
	var err error
	if s.cluster != nil {
		err = s.cluster.Remove()
	}
	if s.folder != "" {
		err = errors.Join(err, os.RemoveAll(s.folder))
	}
	return err
}

// create returns the settings and the URL of a new database. The first call starts the server and migrates
// the template.
func (s *server) create(ctx context.Context, from string) (environment.Database, string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.usable {
		return environment.Database{}, "", errors.New("databasetest.Main is not this package's TestMain")
	}
	if s.cluster == nil && s.failed == nil {
		s.failed = s.start(ctx)
	}
	if s.failed != nil {
		return environment.Database{}, "", s.failed
	}
	s.created++
	name := fmt.Sprintf("test_%d", s.created)
	if err := s.exec(ctx, "CREATE DATABASE "+name+" TEMPLATE "+from); err != nil {
		return environment.Database{}, "", err
	}
	settings, err := s.settings(name)
	return settings, s.cluster.URL(name), err
}

func (s *server) start(ctx context.Context) (err error) {
	sweep()
	if s.folder, err = os.MkdirTemp("", folderPrefix); err != nil {
		return err
	}
	// the server's account has to pass; its own folder within is closed
	if err := os.Chmod(s.folder, 0o755); err != nil {
		return err
	}
	s.cluster, err = cluster.Start(ctx, cluster.Options{Dir: filepath.Join(s.folder, "server"), Tools: tools(),
		FsyncOff: true})
	if err != nil {
		return explained(err)
	}
	if err := s.exec(ctx, "CREATE DATABASE "+template); err != nil {
		return err
	}
	settings, err := s.settings(template)
	if err != nil {
		return err
	}
	_, err = migrations.Apply(ctx, migrations.Options{Connect: database.Config(settings)})
	return explained(err)
}

// settings reads the URL as the platform does, but with a longer connect timeout.
func (s *server) settings(name string) (environment.Database, error) {
	values := map[string]string{"DATABASE_URL": s.cluster.URL(name), "SERVICE_DATABASE_TLS_MODE": "disable",
		"NODE_ENV": "development"}
	settings, err := environment.Load(func(name string) (string, bool) {
		value, found := values[name]
		return value, found
	}, environment.DatabaseSection)
	settings.Database.ConnectTimeout = connectWithin
	return settings.Database, err
}

// exec runs a statement as superuser in the database postgres.
func (s *server) exec(ctx context.Context, sql string) error {
	settings, err := s.settings("postgres")
	if err != nil {
		return err
	}
	conn, err := pgx.ConnectConfig(ctx, database.Config(settings))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	_, err = conn.Exec(ctx, sql)
	return err
}

// explained adds the causes that coded errors do not print, because a failed test needs them.
func explained(err error) error {
	if wrapped, ok := err.(interface{ Unwrap() []error }); ok {
		return fmt.Errorf("%w: %w", err, errors.Join(wrapped.Unwrap()...))
	}
	return err
}
