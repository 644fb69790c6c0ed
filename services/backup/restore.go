package backup

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/migrations"
)

// Check reads a whole backup and verifies that it is unchanged. identity is the path of a file of age keys,
// for an encrypted backup. It uses no database. Errors: ErrInvalid, ErrIncomplete.
func Check(ctx context.Context, path, identity string) (Manifest, error) {
	return readFile(ctx, path, identity, nil)
}

func readFile(
	ctx context.Context, path, identity string, visit func(name string, content io.Reader) error,
) (m Manifest, err error) {
	file, err := os.Open(path)
	if err != nil {
		return m, fail(ErrInvalid, "The backup cannot be opened; check its name.", err)
	}
	defer func() { _ = file.Close() }()
	plain, err := open(&contextReader{ctx, file}, identity)
	if err != nil {
		return m, err
	}
	return read(plain, visit)
}

// contextReader is a reader that fails when its context has ended.
type contextReader struct {
	ctx  context.Context
	from io.Reader
}

func (r *contextReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, fail(ErrFailed, "It was interrupted.", err)
	}
	return r.from.Read(p)
}

// Restore restores a backup into an empty database and empty buckets, and compares the number of rows. At the
// end it calls finish; the platform does not start on this database before finish has returned. A failed run
// leaves database and buckets empty. After a killed run, Restore must be run again with the same file.
// Errors: Check's, ErrTargetNotEmpty, ErrToolsMissing, ErrFailed, and the codes of database, migrations and
// storage.
func Restore(
	ctx context.Context, installation Installation, path, identity string, finish func(context.Context) error,
) (m Manifest, err error) {
	installation.tell("checking the file", 0)
	if m, err = Check(ctx, path, identity); err != nil {
		return m, err
	}
	if err := installation.checkBuckets(m); err != nil {
		return m, err
	}
	conn, err := migrations.Connect(ctx, installation.Connect)
	if err != nil {
		return m, err
	}
	defer closeConn(conn)
	t := target{Installation: installation, conn: conn, manifest: m}
	if err := t.begin(ctx); err != nil {
		return m, err
	}
	err = t.fill(ctx, path, identity)
	if err == nil && finish != nil {
		err = finish(ctx)
	}
	if err == nil {
		err = t.finish(ctx)
	}
	if err != nil {
		return m, errors.Join(failed(err), t.undo())
	}
	return m, nil
}

// checkBuckets returns an error if an object's bucket does not exist in this installation.
func (i Installation) checkBuckets(m Manifest) error {
	for _, part := range m.Parts {
		if strings.HasPrefix(part.Name, objectFolder) {
			if _, _, known := i.place(part.Name); !known {
				return fail(ErrFailed, "The backup has files of a module that is not installed here, or that has "+
					"no bucket of that name; install the modules of the backup first.", nil)
			}
		}
	}
	return nil
}

// place returns the bucket and key of the object in a part.
func (i Installation) place(part string) (bucket Bucket, key string, known bool) {
	for _, bucket := range i.Buckets {
		key, found := strings.CutPrefix(part, objectFolder+bucket.Module+"/"+bucket.Bucket+"/")
		if found {
			return bucket, key, true
		}
	}
	return Bucket{}, "", false
}

// fill reads the file a second time and restores its parts.
func (t *target) fill(ctx context.Context, path, identity string) error {
	programs, err := findTools(ctx, max(t.manifest.Server, t.server))
	if err != nil {
		return err
	}
	r := &restorer{target: t, ctx: ctx, program: programs.restore, types: make(map[string]string)}
	for _, part := range t.manifest.Parts {
		r.types[part.Name] = part.Type
	}
	_, err = readFile(ctx, path, identity, r.visit)
	if err = errors.Join(err, r.end()); err != nil {
		return err
	}
	return t.compare(ctx)
}

// restorer writes each part of a backup to the database or to its bucket.
type restorer struct {
	*target
	ctx     context.Context // of the whole run
	program string
	types   map[string]string // media types of objects, by the part's name

	folder string         // of the dump that is being restored; "": none
	into   *io.PipeWriter // standard input of pg_restore
	done   chan error
}

func (r *restorer) visit(name string, content io.Reader) error {
	if strings.HasPrefix(name, objectFolder) {
		if err := r.end(); err != nil {
			return err
		}
		return r.putObject(name, content)
	}
	folder := name[:strings.LastIndexByte(name, '/')+1]
	if folder != r.folder {
		if err := r.end(); err != nil {
			return err
		}
		if err := r.begin(folder); err != nil {
			return err
		}
	}
	_, err := io.Copy(r.into, content)
	if errors.Is(err, io.ErrClosedPipe) { // pg_restore has failed
		return r.end()
	}
	return err
}

func (r *restorer) putObject(name string, content io.Reader) error {
	if r.withoutObjects {
		return nil
	}
	bucket, key, known := r.place(name)
	if !known {
		return fail(ErrInvalid, "", nil)
	}
	r.tell("files of "+bucket.Module, 0)
	_, err := bucket.Store.Put(r.ctx, key, r.types[name], content)
	return err
}

// begin starts pg_restore for the dump of a folder.
func (r *restorer) begin(folder string) error {
	account, step := migrations.Account{Schema: coreSchema, Connect: r.Connect}, "database"
	if folder == coreFolder {
		if _, err := r.conn.Exec(r.ctx, `CREATE SCHEMA `+coreSchema); err != nil {
			return failed(err)
		}
	} else {
		var err error
		if account, err = r.account(strings.TrimSuffix(strings.TrimPrefix(folder, moduleFolder), "/")); err != nil {
			return err
		}
		step = "database of " + account.ModuleID
	}
	r.tell(step, 0)
	from, into := io.Pipe()
	run := program{
		path: r.program, environment: r.programsFor(account.Connect), in: from,
		// the schema already exists, because it must belong to the account's role
		arguments: []string{"--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges",
			"--no-password", "--schema=" + account.Schema, "--dbname=" + conninfo(account.Connect)},
	}
	r.folder, r.into, r.done = folder, into, make(chan error, 1)
	go func(done chan<- error) {
		err := run.run(r.ctx, func(out io.Reader) error {
			_, err := io.Copy(io.Discard, out)
			return err
		})
		_ = from.Close() // a later write by visit then fails
		done <- err
	}(r.done)
	return nil
}

// conninfo returns libpq's connection string with the database's name.
func conninfo(connect *pgx.ConnConfig) string {
	return "dbname='" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(connect.Database) + "'"
}

// end waits until pg_restore has restored the current dump.
func (r *restorer) end() error {
	if r.folder == "" {
		return nil
	}
	r.folder = ""
	_ = r.into.Close()
	return <-r.done
}

// account returns a module's role and schema. The first call creates those of all modules in the backup.
func (r *restorer) account(moduleID string) (migrations.Account, error) {
	if r.accounts == nil {
		options := migrations.Options{Connect: r.Connect, SharedRole: r.SharedRole, RolePrefix: r.rolePrefix,
			Home: r.home}
		for _, m := range r.manifest.Modules {
			options.Modules = append(options.Modules, migrations.Line{ID: m.ID})
		}
		var err error
		if r.accounts, err = migrations.Provision(r.ctx, options); err != nil {
			return migrations.Account{}, err
		}
	}
	for _, account := range r.accounts {
		if account.ModuleID == moduleID {
			return account, nil
		}
	}
	return migrations.Account{}, fail(ErrInvalid, "", nil)
}
