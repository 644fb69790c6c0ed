package databasetest

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/migrations"
	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/services/database/cluster"
	"github.com/narthex-platform/narthex/services/database/poolertest"
	"github.com/narthex-platform/narthex/services/environment"
)

// template is the database, migrated once, that New copies.
const template = "narthex_template"

// deadline limits each operation on the server, including the wait for earlier operations.
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
	// strategy is how PostgreSQL copies a template.
	strategy string
	admin    *pgx.Conn          // the superuser's connection to the database postgres
	pooler   *poolertest.Pooler // between the tests and the server; nil: nothing is
	failed   error
	created  int
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
	if s.admin != nil {
		err = s.admin.Close(context.Background())
	}
	if s.pooler != nil {
		s.pooler.Stop()
	}
	if s.cluster != nil {
		err = errors.Join(err, s.cluster.Remove())
	}
	if s.folder != "" {
		err = errors.Join(err, os.RemoveAll(s.folder))
	}
	return err
}

// create makes a database. The first call starts the server and migrates the template.
func (s *server) create(ctx context.Context, from string) (*DB, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.usable {
		return nil, errors.New("databasetest.Main is not this package's TestMain")
	}
	if s.cluster == nil && s.failed == nil {
		s.failed = s.start(ctx)
	}
	if s.pooler == nil && s.failed == nil {
		s.failed = s.startPooler()
	}
	if s.failed != nil {
		return nil, s.failed
	}
	s.created++
	name := fmt.Sprintf("test_%d", s.created)
	copied := "CREATE DATABASE " + name + " TEMPLATE " + from + " STRATEGY " + s.strategy
	if _, err := s.admin.Exec(ctx, copied); err != nil {
		return nil, err
	}
	server, err := s.settings(name)
	db := &DB{URL: s.cluster.URL(name), Settings: server, Server: server}
	if s.pooler != nil {
		db.Settings = s.pooler.Through(server)
		db.Settings.Pooled = true
		address := func(of environment.Database) string { return fmt.Sprintf(":%d/", of.Servers[0].Port) }
		db.URL = strings.Replace(db.URL, address(server), address(db.Settings), 1)
	}
	return db, err
}

func (s *server) start(ctx context.Context) (err error) {
	sweep()
	parent := os.TempDir()
	if s.strategy = "wal_log"; inMemory() {
		// in memory, copying the files is faster than writing each page to the WAL
		parent, s.strategy = memoryFolder, "file_copy"
	}
	if s.folder, err = os.MkdirTemp(parent, folderPrefix); err != nil {
		return err
	}
	// the server's account must be able to enter; its own folder inside is private
	if err := os.Chmod(s.folder, 0o755); err != nil {
		return err
	}
	prepared := preparedFor(ctx)
	if prepared != "" && prepared.unpack(s.home()) == nil {
		if err := s.run(ctx); err == nil {
			return s.warm(ctx)
		}
		// The archive may be damaged: a crash of the machine may have cut it.
		if err := errors.Join(prepared.remove(), s.abandon()); err != nil {
			return err
		}
	}
	if err := s.make(ctx); err != nil || prepared == "" {
		return err
	}
	if err := errors.Join(s.admin.Close(ctx), s.cluster.Stop()); err != nil {
		return err
	}
	_ = prepared.keep(s.home()) // without it the next process makes its own
	if err := s.run(ctx); err != nil {
		return err
	}
	return s.warm(ctx)
}

// home is the server's own folder.
func (s *server) home() string { return filepath.Join(s.folder, "server") }

// run starts the server and connects.
func (s *server) run(ctx context.Context) (err error) {
	started, err := cluster.Start(ctx, cluster.Options{Dir: s.home(), Tools: tools(), FsyncOff: true})
	if err != nil {
		return explained(err)
	}
	s.cluster = started
	settings, err := s.settings("postgres")
	if err != nil {
		return err
	}
	s.admin, err = pgx.ConnectConfig(ctx, database.Config(settings))
	return err
}

// warm opens one session in the template. The server then writes a file of descriptions of its catalogs into
// it, which every copy of the template gets; without it, the first sessions of each copy work them out.
func (s *server) warm(ctx context.Context) error {
	settings, err := s.settings(template)
	if err != nil {
		return err
	}
	session, err := pgx.ConnectConfig(ctx, database.Config(settings))
	if err != nil {
		return err
	}
	return session.Close(ctx)
}

// abandon ends a server that is not usable, and removes its folder.
func (s *server) abandon() error {
	if s.cluster == nil {
		return os.RemoveAll(s.home())
	}
	abandoned := s.cluster
	s.cluster = nil
	return abandoned.Remove()
}

// make makes a server with the migrated template.
func (s *server) make(ctx context.Context) error {
	if err := s.run(ctx); err != nil {
		return err
	}
	settings, err := s.settings(template)
	if err != nil {
		return err
	}
	if _, err := s.admin.Exec(ctx, "ALTER ROLE "+pgx.Identifier{settings.User}.Sanitize()+" PASSWORD "+
		quickVerifier(settings.Password.Reveal())); err != nil {
		return err
	}
	if _, err := s.admin.Exec(ctx, "CREATE DATABASE "+template); err != nil {
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

// drop drops a database, with its sessions and the roles that migrations created in it.
func (s *server) drop(ctx context.Context, name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	rows, err := s.admin.Query(ctx, `
		SELECT DISTINCT rolname::text
		FROM pg_shdepend
		JOIN pg_roles ON refclassid = 'pg_authid'::regclass AND pg_roles.oid = refobjid
		WHERE dbid = (SELECT oid FROM pg_database WHERE datname = $1) AND starts_with(rolname, 'module_')`, name)
	if err != nil {
		return err
	}
	roles, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err == nil {
		_, err = s.admin.Exec(ctx, "DROP DATABASE "+name+" WITH (FORCE)")
	}
	for _, role := range roles {
		_, dropped := s.admin.Exec(ctx, "DROP ROLE IF EXISTS "+pgx.Identifier{role}.Sanitize())
		err = errors.Join(err, dropped)
	}
	return err
}

// quickVerifier returns the SQL literal of a password's SCRAM verifier with one iteration. With the usual
// 4096 iterations, the thousands of connections would make a tenth of the time of tests with a database.
func quickVerifier(password string) string {
	const salt = "tests need none"
	mac := func(key []byte, text string) []byte {
		h := hmac.New(sha256.New, key)
		h.Write([]byte(text))
		return h.Sum(nil)
	}
	salted := mac([]byte(password), salt+"\x00\x00\x00\x01") // PBKDF2 with one iteration
	stored := sha256.Sum256(mac(salted, "Client Key"))
	encode := base64.StdEncoding.EncodeToString
	return "'SCRAM-SHA-256$1:" + encode([]byte(salt)) + "$" + encode(stored[:]) + ":" +
		encode(mac(salted, "Server Key")) + "'"
}

// explained adds the causes that coded errors do not print, because a failed test needs them.
func explained(err error) error {
	if wrapped, ok := err.(interface{ Unwrap() []error }); ok {
		return fmt.Errorf("%w: %w", err, errors.Join(wrapped.Unwrap()...))
	}
	return err
}
