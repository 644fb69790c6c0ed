package backup_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/migrations"
	"github.com/narthex-platform/narthex/services/backup"
	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/storage"
)

func TestMain(m *testing.M) { databasetest.Main(m) }

// choir is a module that uses many features of PostgreSQL: constraints, a sequence, a function with a
// trigger, a type.
var choir = migrations.Line{ID: "choir", Files: []migrations.File{{Version: 1, Name: "voices", SQL: []byte(`
	CREATE TYPE register AS ENUM ('high', 'low');
	CREATE TABLE singer (
		id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, label text NOT NULL UNIQUE, voice register);
	CREATE TABLE song (
		id uuid PRIMARY KEY DEFAULT gen_random_uuid(), singer bigint REFERENCES singer (id), body bytea);
	CREATE FUNCTION shout() RETURNS trigger LANGUAGE plpgsql
		AS $$ BEGIN NEW.label = upper(NEW.label); RETURN NEW; END $$;
	CREATE TRIGGER shouts BEFORE INSERT ON singer FOR EACH ROW EXECUTE FUNCTION shout();
	CREATE VIEW high AS SELECT * FROM singer WHERE voice = 'high';`)}}}

// place is one installation of a test.
type place struct {
	*databasetest.DB
	backup.Installation
	pictures *memoryBucket
	t        *testing.T
}

// empty returns a place without content, to restore into.
func empty(t *testing.T) *place {
	t.Helper()
	p := &place{DB: databasetest.Empty(t), pictures: &memoryBucket{objects: make(map[string]storedObject)}, t: t}
	programs, err := database.LibpqEnvironment(p.Settings, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p.Installation = backup.Installation{
		Connect: database.Config(p.Settings), Programs: programs,
		Buckets:  []backup.Bucket{{Module: "choir", Bucket: "pictures", Store: p.pictures}},
		Platform: "0.1.0",
	}
	return p
}

// installed returns a place with rows and objects.
func installed(t *testing.T) *place {
	t.Helper()
	p := empty(t)
	if _, err := migrations.Apply(t.Context(),
		migrations.Options{Connect: p.Connect, Modules: []migrations.Line{choir}}); err != nil {
		t.Fatalf("migrations: %v", err)
	}
	p.Exec(t, `INSERT INTO core.person (id, email, name) VALUES (gen_random_uuid(), 'anna@example.org', 'Anna')`)
	// A row that points to one that no backup has.
	p.Exec(t, `WITH public AS (
			INSERT INTO core.link (id, module_id, permission_id, subject, secret_hash, cookie_hash)
			VALUES (gen_random_uuid(), 'choir', 'choir.read', 'feed', sha256('1'), sha256('2')) RETURNING id
		)
		INSERT INTO core.feed (link_id, secret_hash, module_id, path, query, label)
		SELECT id, sha256('3'), 'choir', '/choir.ics', '', 'Website' FROM public`)
	p.Exec(
		t,
		`INSERT INTO module_choir.singer (label, voice)
		SELECT 'singer ' || n, 'high' FROM generate_series(1, 50) AS n`,
	)
	p.Exec(t, `INSERT INTO module_choir.song (singer, body)
		SELECT id, convert_to(repeat(md5(id::text), 40), 'UTF8') FROM module_choir.singer`)
	for i, size := range []int{0, 1, 511, 512, 513, 30_000} {
		p.pictures.objects[fmt.Sprintf("folder %d/picture_%d.jpg", i%2, i)[7:]] =
			storedObject{"image/jpeg", bytes.Repeat([]byte{byte(i), 7}, size)[:size]}
	}
	p.pictures.objects[strings.Repeat("long/", 60)+"name"] = storedObject{"text/plain", []byte("x")}
	return p
}

// create makes a backup of the place.
func (p *place) create(options backup.CreateOptions) (path string, m backup.Manifest) {
	p.t.Helper()
	path = filepath.Join(p.t.TempDir(), "sunday.backup")
	m, err := backup.Create(p.t.Context(), p.Installation, path, options)
	if err != nil {
		p.t.Fatalf("create: %v: %v", err, causes(err))
	}
	return path, m
}

// rows returns every row of the core tables that a restore keeps, and of the module, as text.
func (p *place) rows() map[string]string {
	p.t.Helper()
	found := make(map[string]string)
	for _, table := range []string{"core.person", "core.migration", "core.house", "core.activity_head",
		"module_choir.singer", "module_choir.song", "module_choir.high", "module_choir.narthex_migration"} {
		var text string
		err := p.Pool(p.t).QueryRow(p.t.Context(),
			`SELECT coalesce(md5(string_agg(r::text, chr(10) ORDER BY r::text)), '') FROM `+table+` AS r`).Scan(&text)
		if err != nil {
			p.t.Fatalf("read %s: %v", table, err)
		}
		found[table] = text
	}
	return found
}

// isEmpty fails the test for everything that a failed restore has left.
func (p *place) isEmpty() {
	p.t.Helper()
	conn, err := pgx.ConnectConfig(p.t.Context(), p.Connect)
	if err != nil {
		p.t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	var schemas []string
	err = conn.QueryRow(p.t.Context(), `SELECT array_agg(nspname::text) FROM pg_namespace
		WHERE nspname NOT IN ('public', 'information_schema') AND NOT starts_with(nspname, 'pg_')`).Scan(&schemas)
	if err != nil || len(schemas) > 0 || len(p.pictures.objects) > 0 {
		p.t.Errorf("left behind: schemas %v, %d objects, %v; want nothing", schemas, len(p.pictures.objects), err)
	}
}

// trials returns the names of the server's scratch databases and their roles.
func (p *place) trials() (found []string) {
	p.t.Helper()
	err := p.Pool(p.t).QueryRow(p.t.Context(), `
		SELECT array(SELECT datname::text FROM pg_database WHERE datname LIKE 'scratch%'
		UNION ALL SELECT rolname::text FROM pg_roles WHERE rolname LIKE 'scratch%')`).Scan(&found)
	if err != nil {
		p.t.Fatal(err)
	}
	return found
}

func causes(err error) string {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var all []string
		for _, inner := range joined.Unwrap() {
			all = append(all, inner.Error()+" "+causes(inner))
		}
		return strings.Join(all, "; ")
	}
	return ""
}

// memoryBucket is a bucket in memory.
type memoryBucket struct {
	mu      sync.Mutex
	objects map[string]storedObject
	failAt  int // the number of the Put that fails; 0: none
	puts    int
}

type storedObject struct {
	contentType string
	content     []byte
}

func (s *memoryBucket) List(_ context.Context, _, after string, limit int) (page storage.Page, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if limit == 0 {
		limit = 3 // so that there are several pages
	}
	for key, object := range s.objects {
		if key > after {
			page.Objects = append(page.Objects, storage.Object{Key: key, Size: int64(len(object.content))})
		}
	}
	slices.SortFunc(page.Objects, func(a, b storage.Object) int { return cmp.Compare(a.Key, b.Key) })
	if len(page.Objects) > limit {
		page.Objects = page.Objects[:limit]
		page.Next = page.Objects[limit-1].Key
	}
	return page, nil
}

func (s *memoryBucket) Get(
	_ context.Context,
	key string,
	_ storage.Range,
) (storage.Object, io.ReadCloser, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	object, found := s.objects[key]
	if !found {
		return storage.Object{}, nil, storage.ErrNotFound
	}
	return storage.Object{Key: key, Size: int64(len(object.content)), ContentType: object.contentType},
		io.NopCloser(bytes.NewReader(object.content)), nil
}

func (s *memoryBucket) Put(
	_ context.Context,
	key, contentType string,
	body io.Reader,
) (storage.Object, error) {
	content, err := io.ReadAll(body)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.puts++; err == nil && s.puts == s.failAt {
		err = storage.ErrUnavailable
	}
	if err == nil {
		s.objects[key] = storedObject{contentType, content}
	}
	return storage.Object{}, err
}

func (s *memoryBucket) Delete(_ context.Context, key string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.objects, key)
	return nil
}
