package backup

import (
	"context"
	"io"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/storage"
)

// Installation is what is backed up, or restored into.
type Installation struct {
	// Connect reaches the database as Core's user.
	Connect *pgx.ConnConfig
	// Programs is how PostgreSQL's programs reach the same database: variables of libpq, without user,
	// password and database.
	Programs []string
	// Buckets are those that the installed modules declare.
	Buckets []Bucket
	// Platform is the version of this program.
	Platform string
	// SharedRole is migrations.Options.SharedRole.
	SharedRole bool
	// Progress is told of every step and now and then of the bytes within one. It may be nil.
	Progress func(step string, bytes int64)
}

// Bucket is one of a module's.
type Bucket struct {
	Module string
	Bucket string
	Store  Store
}

// Store is where the objects of a bucket are.
type Store interface {
	List(ctx context.Context, prefix, after string, limit int) (storage.Page, error)
	Get(ctx context.Context, key string, part storage.Range) (storage.Object, io.ReadCloser, error)
	Put(ctx context.Context, key, contentType string, body io.Reader) (storage.Object, error)
	Delete(ctx context.Context, key string) error
}

func (i Installation) tell(step string, bytes int64) {
	if i.Progress != nil {
		i.Progress(step, bytes)
	}
}

// told tells of what is read, every 16 MiB.
func (i Installation) told(step string, from io.Reader) io.Reader {
	return &progress{from: from, tell: func(bytes int64) { i.tell(step, bytes) }}
}

type progress struct {
	from        io.Reader
	tell        func(int64)
	total, next int64
}

func (p *progress) Read(b []byte) (int, error) {
	n, err := p.from.Read(b)
	if p.total += int64(n); p.total >= p.next {
		p.tell(p.total)
		p.next = p.total + 16<<20
	}
	return n, err
}

// programsFor returns the variables of a run as an account's user.
func (i Installation) programsFor(connect *pgx.ConnConfig) []string {
	return append(i.Programs[:len(i.Programs):len(i.Programs)],
		"PGUSER="+connect.User, "PGPASSWORD="+connect.Password, "PGDATABASE="+connect.Database,
		"PGAPPNAME=narthex-backup")
}

// closeWithin bounds closing a connection and undoing, also after the run's own context has ended.
const closeWithin = 10 * time.Second

func closeConn(conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), closeWithin)
	defer cancel()
	_ = conn.Close(ctx)
}

func serverVersion(ctx context.Context, conn *pgx.Conn) (version int, err error) {
	err = conn.QueryRow(ctx, `SELECT current_setting('server_version_num')::int`).Scan(&version)
	return version, failed(err)
}

// failed gives an error without a code ErrFailed.
func failed(err error) error {
	if err == nil {
		return nil
	}
	if coded, ok := err.(interface{ Code() string }); ok && coded.Code() != "" {
		return err
	}
	return fail(ErrFailed, "", err)
}
