package configuration

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/narthex-platform/narthex/services/activity/chain"
	"github.com/narthex-platform/narthex/services/store"
)

// Store reads and writes documents through the shared pool. A call stops when its context ends. It is safe
// for concurrent use.
type Store struct{ pool *pgxpool.Pool }

// NewStore makes a Store. It opens no connection.
func NewStore(pool *pgxpool.Pool) *Store { return &Store{pool} }

const selectAll = `
SELECT module_id, coalesce(rev, 0), key, value
FROM core.module_configuration_document
FULL JOIN core.module_configuration USING (module_id)`

// All reads every document in one snapshot, also of modules that are not installed. It fails with ErrRead.
func (s *Store) All(ctx context.Context) (Documents, error) {
	rows, err := s.pool.Query(ctx, selectAll, pgx.QueryExecModeExec)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRead, err)
	}
	documents := make(Documents)
	var moduleID string
	var rev int64
	var key, value *string // nil: the document has no value
	_, err = pgx.ForEachRow(rows, []any{&moduleID, &rev, &key, &value}, func() error {
		document, known := documents[moduleID]
		if !known {
			document = Document{Rev: rev, Values: make(map[string]string)}
			documents[moduleID] = document
		}
		if key != nil {
			document.Values[*key] = *value
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRead, err)
	}
	return documents, nil
}

// lockDocument creates the module's row or waits for its lock, and returns the row's new revision. It is a
// separate statement, because in READ COMMITTED the next statement sees what was committed while this one
// waited. A single statement would still see the state at its own start.
const lockDocument = `
INSERT INTO core.module_configuration_document AS document (module_id)
VALUES ($1)
ON CONFLICT (module_id) DO UPDATE
SET replaced_at = now(), rev = document.rev + 1
RETURNING rev`

const selectValues = `
SELECT key, value
FROM core.module_configuration
WHERE module_id = $1 AND key = ANY ($2::text[])`

// The deleted and the inserted keys never overlap, so their order does not matter.
const replaceValues = `
WITH omitted AS (
	DELETE FROM core.module_configuration
	WHERE module_id = $1 AND key = ANY ($2::text[]) AND key <> ALL ($3::text[])
)
INSERT INTO core.module_configuration (module_id, key, value)
SELECT $1, key, value
FROM unnest($3::text[], $4::text[]) AS given (key, value)
ON CONFLICT (module_id, key) DO UPDATE
SET value = excluded.value`

// Replace stores values as the module's document: a declared key that is not in values is deleted, and a
// stored key that is not declared stays. Concurrent calls replace the document one after the other: it is
// never a mix, and no reader sees a part of it. If two calls name the same revision, one gets ErrConflict and
// writes nothing. The caller has checked keys and values; they must be valid UTF-8 without NUL. The error is
// STORE_UNAVAILABLE when it is unknown whether the document was stored.
func (s *Store) Replace(ctx context.Context, moduleID string, r Replacement) error {
	keys := make([]string, 0, len(r.Values)) // not nil, because key <> ALL (NULL) is never true
	texts := make([]string, 0, len(r.Values))
	for key, text := range r.Values {
		keys, texts = append(keys, key), append(texts, text)
	}
	err := store.InTx(ctx, s.pool, func(ctx context.Context, tx *store.Tx) error {
		var rev int64
		if err := tx.QueryRow(ctx, lockDocument, moduleID).Scan(&rev); err != nil {
			return err
		}
		if r.Rev != nil && rev != *r.Rev+1 {
			return ErrConflict
		}
		before, err := readValues(ctx, tx, moduleID, append(slices.Clone(r.Declared), keys...))
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, replaceValues, moduleID, r.Declared, keys, texts); err != nil {
			return err
		}
		return chain.Record(tx, entriesOf(moduleID, r, before)...)
	})
	if err != nil && err != ErrConflict {
		return store.Unavailable(err)
	}
	return err
}

// readValues returns the stored values of the keys. They cannot change, because the document is locked.
func readValues(ctx context.Context, tx pgx.Tx, moduleID string, keys []string) (map[string]string, error) {
	rows, err := tx.Query(ctx, selectValues, moduleID, keys)
	if err != nil {
		return nil, err
	}
	values := make(map[string]string)
	var key, value string
	_, err = pgx.ForEachRow(rows, []any{&key, &value}, func() error {
		values[key] = value
		return nil
	})
	return values, err
}
