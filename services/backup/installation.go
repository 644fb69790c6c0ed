package backup

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/storage"
)

// Installation is the source of a backup, or the target of a restore.
type Installation struct {
	// Connect is the configuration of connections to the database as Core's user.
	Connect *pgx.ConnConfig
	// Programs are libpq's variables with which PostgreSQL's programs connect to the same server, without user,
	// password and database.
	Programs []string
	// Buckets are those that the installed modules declare.
	Buckets []Bucket
	// Platform is the version of this program.
	Platform string
	// SharedRole is migrations.Options.SharedRole.
	SharedRole bool
	// Progress is called at the begin of every step, and with the bytes within a step from time to time. It may
	// be nil.
	Progress func(step string, bytes int64)
}

// Bucket is one bucket of a module.
type Bucket struct {
	Module string
	Bucket string
	Store  Store
}

// Store reads and writes the objects of a bucket.
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

// withProgress returns a reader that reports the progress every 16 MiB.
func (i Installation) withProgress(step string, from io.Reader) io.Reader {
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

// programsFor returns the variables for a program that connects as an account's user.
func (i Installation) programsFor(connect *pgx.ConnConfig) []string {
	return append(i.Programs[:len(i.Programs):len(i.Programs)],
		"PGUSER="+connect.User, "PGPASSWORD="+connect.Password, "PGDATABASE="+connect.Database,
		"PGAPPNAME=narthex-backup")
}

// closeWithin limits the time for closing a connection, also after the context of the run has ended.
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

// failed adds the code ErrFailed to an error that has none, nor contains one.
func failed(err error) error {
	var coded interface {
		error
		Code() string
	}
	if err == nil || errors.As(err, &coded) && coded.Code() != "" {
		return err
	}
	return fail(ErrFailed, "", err)
}
