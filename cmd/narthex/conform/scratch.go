package conform

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
	"github.com/narthex-platform/narthex/cmd/narthex/platform"
	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/services/database/cluster"
	"github.com/narthex-platform/narthex/services/environment"
)

// dropWithin limits how long the clean-up may take.
const dropWithin = 30 * time.Second

var errScratch = cli.NewError("SCRATCH_DATABASE_UNAVAILABLE",
	"The user of DATABASE_URL may not create databases and roles, which a trial needs.")

// scratches creates scratch databases.
type scratches struct{ lookup environment.Lookup }

// open creates an empty database. close drops it, together with the roles that the run created in it.
func (s scratches) open(ctx context.Context) (environment.Database, func() error, error) {
	if value, _ := s.lookup("DATABASE_URL"); value == "" {
		return private(ctx)
	}
	settings, err := environment.Load(s.lookup, environment.DatabaseSection)
	if err != nil {
		return environment.Database{}, nil, err
	}
	return create(ctx, settings.Database)
}

// private starts a temporary PostgreSQL server for this run.
func private(ctx context.Context) (_ environment.Database, _ func() error, err error) {
	folder, err := os.MkdirTemp("", "narthex-conform-postgresql-")
	if err != nil {
		return environment.Database{}, nil, err
	}
	remove := func() error { return os.RemoveAll(folder) }
	if err := os.Chmod(folder, 0o755); err != nil { // the server's user must be able to enter the folder
		return environment.Database{}, nil, errors.Join(err, remove())
	}
	postgres, err := cluster.Start(ctx, cluster.Options{Dir: filepath.Join(folder, "server"), Tools: ".tools",
		FsyncOff: true})
	if err != nil {
		return environment.Database{}, nil, errors.Join(err, remove())
	}
	variables := map[string]string{"DATABASE_URL": postgres.URL("postgres"), "NODE_ENV": "development",
		"SERVICE_DATABASE_TLS_MODE": "disable"}
	settings, err := environment.Load(func(name string) (string, bool) {
		value, found := variables[name]
		return value, found
	}, environment.DatabaseSection)
	end := func() error { return errors.Join(postgres.Remove(), remove()) }
	if err != nil {
		return environment.Database{}, nil, errors.Join(err, end())
	}
	return settings.Database, end, nil
}

// create creates a database on the server that the settings name. It does not touch the database that they
// name.
func create(ctx context.Context, settings environment.Database) (environment.Database, func() error, error) {
	name := "narthex_conform_" + strings.ToLower(rand.Text()[:12])
	err := on(settings, func(db *database.Database) error {
		if err := db.Check(ctx); err != nil {
			return err
		}
		if _, err := db.Pool().Exec(ctx, "CREATE DATABASE "+name+
			" TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'"); err != nil {
			return platform.Advised(fmt.Errorf("%w: %w", errScratch, err),
				`Let an administrator of the database run: ALTER ROLE "`+settings.User+`" CREATEDB CREATEROLE;`)
		}
		return nil
	})
	if err != nil {
		return environment.Database{}, nil, err
	}
	beside := settings
	beside.Name = name
	return beside, func() error { return drop(settings, name) }, nil
}

// drop uses a new context, because the context of the run may have ended.
func drop(settings environment.Database, name string) error {
	ctx, cancel := context.WithTimeout(context.Background(), dropWithin)
	defer cancel()
	return on(settings, func(db *database.Database) error {
		roles, err := rolesIn(ctx, db, name)
		if err != nil {
			return err
		}
		if _, err := db.Pool().Exec(ctx, "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			return err
		}
		for _, role := range roles {
			_, dropped := db.Pool().Exec(ctx, `DROP ROLE "`+role+`"`)
			err = errors.Join(err, dropped)
		}
		return err
	})
}

// rolesIn returns the modules' roles that own something in a database.
func rolesIn(ctx context.Context, db *database.Database, name string) (roles []string, err error) {
	rows, err := db.Pool().Query(ctx, `
		SELECT DISTINCT rolname::text
		FROM pg_shdepend
		JOIN pg_roles ON refclassid = 'pg_authid'::regclass AND pg_roles.oid = refobjid
		WHERE dbid = (SELECT oid FROM pg_database WHERE datname = $1) AND starts_with(rolname, 'module_')`, name)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var role string
		if err := rows.Scan(&role); err != nil {
			return nil, err
		}
		roles = append(roles, role)
	}
	return roles, rows.Err()
}

// on opens a database, calls do, and closes it.
func on(settings environment.Database, do func(*database.Database) error) (err error) {
	db, err := database.Open(settings)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return do(db)
}
