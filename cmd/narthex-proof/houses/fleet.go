package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/services/database/cluster"
	"github.com/narthex-platform/narthex/services/database/poolertest"
	"github.com/narthex-platform/narthex/services/environment"
)

const (
	ownerEmail, ownerPassword = "owner@example.org", "correct horse battery"

	// poolSessions is PgBouncer's default_pool_size of docs/operations/poolers.md.
	poolSessions = 10
)

// fleet is all houses with what they share.
type fleet struct {
	options
	folder   string
	postgres *cluster.Cluster
	pooler   *poolertest.Pooler
	server   environment.Database // of the database postgres, as its administrator
	houses   []*house
}

func newFleet(ctx context.Context, o options) (f *fleet, err error) {
	f = &fleet{options: o}
	begun := f
	defer func() {
		if err != nil {
			begun.close()
		}
	}()
	if f.folder, err = os.MkdirTemp("", "narthex-houses-"); err != nil {
		return nil, err
	}
	if err := os.Chmod(f.folder, 0o755); err != nil {
		return nil, err
	}
	f.postgres, err = cluster.Start(ctx, cluster.Options{Dir: filepath.Join(f.folder, "postgresql"),
		Tools: ".tools"})
	if err != nil {
		return nil, err
	}
	values := map[string]string{"DATABASE_URL": f.postgres.URL("postgres"),
		"SERVICE_DATABASE_TLS_MODE": "disable", "NODE_ENV": "development"}
	settings, err := environment.Load(func(name string) (string, bool) {
		value, found := values[name]
		return value, found
	}, environment.DatabaseSection)
	if err != nil {
		return nil, err
	}
	f.server = settings.Database
	folder := filepath.Join(f.folder, "pgbouncer")
	if err := os.Mkdir(folder, 0o755); err != nil {
		return nil, err
	}
	f.pooler, err = poolertest.Run(folder, f.server, poolertest.Transaction, poolSessions)
	return f, err
}

func (f *fleet) close() {
	for _, h := range f.houses {
		h.close()
	}
	if f.pooler != nil {
		f.pooler.Stop()
	}
	if f.postgres != nil {
		_ = f.postgres.Remove()
	}
	_ = os.RemoveAll(f.folder)
}

// grow makes houses until there are so many.
func (f *fleet) grow(ctx context.Context, size int) error {
	for len(f.houses) < size {
		h, err := f.newHouse(ctx, len(f.houses)+1)
		if err != nil {
			return err
		}
		f.houses = append(f.houses, h)
	}
	return nil
}

// configuration is what Rota needs to run.
const configuration = `
	INSERT INTO core.module_configuration_document (module_id) VALUES ('rota') ON CONFLICT DO NOTHING;
	INSERT INTO core.module_configuration (module_id, key, value)
	VALUES ('rota', 'teamName', 'Office'), ('rota', 'dashboardLink', 'https://example.org')`

// newHouse makes a user and a database as an administrator, and the rest with the platform's commands.
func (f *fleet) newHouse(ctx context.Context, number int) (*house, error) {
	name := fmt.Sprintf("house_%d", number)
	roles, err := os.ReadFile("deploy/postgresql/roles.sql")
	if err != nil {
		return nil, err
	}
	if err := f.administer(ctx, "postgres",
		`CREATE ROLE `+name+` LOGIN CREATEDB PASSWORD 'secret'`,
		`CREATE DATABASE `+name+` OWNER `+name+` ENCODING 'UTF8' LOCALE 'C.UTF-8' TEMPLATE template0`,
	); err != nil {
		return nil, err
	}
	if err := f.administer(ctx, name, string(roles)); err != nil {
		return nil, err
	}
	h, err := listen(ctx, f.binary, filepath.Join(f.folder, name))
	if err != nil {
		return nil, err
	}
	through := f.pooler.Through(f.server).Servers[0]
	server := f.server.Servers[0]
	h.direct = fmt.Sprintf("postgres://%s:secret@%s:%d/%s", name, server.Host, server.Port, name)
	h.environment = []string{
		"NODE_ENV=development", "PATH=" + os.Getenv("PATH"), "SERVICE_DATABASE_TLS_MODE=disable",
		fmt.Sprintf("DATABASE_URL=postgres://%s:secret@%s:%d/%s", name, through.Host, through.Port, name),
		"SERVICE_DATABASE_POOLER=transaction", "SERVICE_MODULES_DIR=" + f.modules,
		"SERVICE_API_PORT=" + strconv.Itoa(h.port), "SERVICE_IDENTITY_BASE_URL=" + h.address,
		"SERVICE_IDENTITY_SECRET=" + strings.Repeat(name, 8), "SERVICE_IDLE_EXIT_MINUTES=5",
		"STATE_DIRECTORY=" + h.folder, "RUNTIME_DIRECTORY=" + h.folder, "XDG_RUNTIME_DIR=" + h.folder,
		// no bucket is used
		"OBJECT_STORAGE_ENDPOINT=http://127.0.0.1:1", "OBJECT_STORAGE_ACCESS_KEY=nobody",
		"OBJECT_STORAGE_SECRET_KEY=nobody",
		"SERVICE_MODULE_SECRET__ROTA__LINK_SIGNING_KEY=" + strings.Repeat("k", 40),
	}
	if err := h.command(ctx, "", "migrations:apply"); err != nil {
		return nil, errors.Join(err, h.close())
	}
	if err := h.command(ctx, ownerPassword+"\n", "identity:create-initial-owner", "--email",
		ownerEmail); err != nil {
		return nil, errors.Join(err, h.close())
	}
	if err := f.administer(ctx, name, configuration); err != nil {
		return nil, errors.Join(err, h.close())
	}
	h.served = true
	go h.serve()
	return h, nil
}

// administer runs statements as the server's administrator.
func (f *fleet) administer(ctx context.Context, database string, statements ...string) error {
	conn, err := pgx.Connect(ctx, f.postgres.URL(database)+"?sslmode=disable")
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	for _, statement := range statements {
		if _, err := conn.PgConn().Exec(ctx, statement).ReadAll(); err != nil {
			return err
		}
	}
	return nil
}

// command runs a command of the platform for a house.
func (h *house) command(ctx context.Context, stdin string, arguments ...string) error {
	return runProgram(ctx, h.environment, stdin, h.binary, arguments...)
}

func runProgram(ctx context.Context, environment []string, stdin, program string, arguments ...string) error {
	command := exec.CommandContext(ctx, program, arguments...)
	command.Env, command.Stdin = environment, strings.NewReader(stdin)
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", arguments, err, output)
	}
	return nil
}
