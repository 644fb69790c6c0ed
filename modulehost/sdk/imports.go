package sdk

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// UndoImportFor is how long an import can be undone.
const UndoImportFor = 24 * time.Hour

// maxKept is how many names of an Undone there are, and maxPastImports how many imports are listed.
const (
	maxKept        = 20
	maxPastImports = 20
)

// Imports remember what imports of files have written, so that each of them can be undone as a whole for
// UndoImportFor. What somebody has changed since stays as it is, and is named. Imports are the tables in
// which an import writes, in the order in which an undo removes rows: what refers to others comes first.
// The module has these tables in a migration:
//
//	CREATE TABLE imports (
//	    id uuid        PRIMARY KEY,
//	    at timestamptz NOT NULL DEFAULT now()
//	);
//	CREATE TABLE imported (
//	    import_id uuid   NOT NULL REFERENCES imports (id) ON DELETE CASCADE,
//	    kind      text   NOT NULL,
//	    id        text   NOT NULL,
//	    rev       bigint NOT NULL,
//	    before    jsonb,
//	    PRIMARY KEY (import_id, kind, id)
//	);
//	CREATE INDEX imported_by_row ON imported (kind, id);
//
// Whoever is erased must be deleted from imported, too, where before has something of them.
type Imports []ImportedTable

// ImportedTable is a table in which imports write rows. Its fields are SQL of the module, in which "row" is
// a row of the table.
type ImportedTable struct {
	Kind string // what a row is, for Remember and in PastImport: "songs"
	From string // the table
	// Key identifies a row; "": row.id.
	Key string
	// Rev is a number that every change of a row by a person makes another one; "": row.rev.
	Rev string
	// Name is what people call a row: "row.title".
	Name string
	// Used is a condition for rows that the import has made, and that stay because somebody uses them now: a
	// song in a service. "": none.
	Used string
	// Gone is a condition for rows that somebody has deleted and that the table still has. "": none. If the
	// import has made such a row, the undo removes it all the same.
	Gone string
	// Remove is what an undo sets in a row that the import has made, as in UPDATE ... SET, so that readers of
	// the table learn of it: "cancelled_at = now(), rev = row.rev + 1". "": the row is deleted.
	Remove string
	// Restore writes rows back as they were before the import: what Remember got. RestoreBy makes it. nil:
	// imports make new rows only.
	Restore func(ctx context.Context, tx *Tx, before []jsontext.Value) error
}

// RestoreBy returns the Restore of a table for which Remember got values of the type T.
func RestoreBy[T any](write func(ctx context.Context, tx *Tx, before []T) error) func(
	context.Context, *Tx, []jsontext.Value,
) error {
	return func(ctx context.Context, tx *Tx, before []jsontext.Value) error {
		rows := make([]T, len(before))
		for n, text := range before {
			if err := json.Unmarshal(text, &rows[n]); err != nil {
				return err
			}
		}
		return write(ctx, tx, rows)
	}
}

// ImportedRow is a row that an import has written.
type ImportedRow struct {
	Key    string
	Before any // how it was, as JSON for Restore; nil: the import has made it
}

// Remember notes the rows that an import has written, by their kind, at the end of its transaction. Without
// any row it does nothing.
func (all Imports) Remember(ctx context.Context, tx Querier, rows map[string][]ImportedRow) error {
	id := ""
	for _, table := range all {
		if len(rows[table.Kind]) == 0 {
			continue
		}
		if id == "" {
			err := tx.QueryRow(ctx, `INSERT INTO imports (id) VALUES (gen_random_uuid()) RETURNING id::text`).
				Scan(&id)
			if err != nil {
				return err
			}
		}
		if err := table.remember(ctx, tx, id, rows[table.Kind]); err != nil {
			return err
		}
	}
	return nil
}

// rememberedAtOnce keeps the values of one statement below its limit, however long the rows are.
const rememberedAtOnce = 64 << 10

func (table ImportedTable) remember(ctx context.Context, tx Querier, id string, rows []ImportedRow) error {
	for len(rows) > 0 {
		var keys, before []string
		size := 0
		for len(keys) < len(rows) && size < rememberedAtOnce {
			row, text := rows[len(keys)], []byte(nil)
			if row.Before != nil {
				var err error
				if text, err = json.Marshal(row.Before); err != nil {
					return err
				}
			}
			keys, before = append(keys, row.Key), append(before, string(text))
			size += len(row.Key) + len(text)
		}
		_, err := tx.Exec(ctx, `
			INSERT INTO imported (import_id, kind, id, rev, before)
			SELECT $1::uuid, $2, given.id, `+table.rev()+`, nullif(given.before, '')::jsonb
			FROM unnest($3::text[], $4::text[]) AS given (id, before)
			JOIN `+table.From+` AS row ON `+table.key()+` = given.id
			ON CONFLICT DO NOTHING`, id, table.Kind, keys, before)
		if err != nil {
			return err
		}
		rows = rows[len(keys):]
	}
	return nil
}

func (table ImportedTable) key() string { return "(" + orElse(table.Key, "row.id") + ")::text" }

func (table ImportedTable) rev() string { return "(" + orElse(table.Rev, "row.rev") + ")" }

func orElse(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

// PastImport is an import that can be undone.
type PastImport struct {
	ID     string         `json:"id"`
	At     time.Time      `json:"at"`
	Counts map[string]int `json:"counts"` // how many rows it has written, by their kind
}

// List returns the imports that can be undone, the latest first.
func (all Imports) List(ctx context.Context, db Querier) ([]PastImport, error) {
	past, err := SelectBy(ctx, db, func(row Scanner, one *PastImport) error {
		return row.Scan(&one.ID, &one.At, &one.Counts)
	}, `
		SELECT id::text, at,
		       (SELECT coalesce(jsonb_object_agg(kind, rows), '{}')
		        FROM (
		            SELECT kind, count(*) AS rows FROM imported WHERE import_id = imports.id GROUP BY kind
		        ) AS kinds)
		FROM imports
		WHERE at > now() - make_interval(secs => $1)
		ORDER BY at DESC, id
		LIMIT $2`, UndoImportFor.Seconds(), maxPastImports)
	if past == nil {
		past = []PastImport{}
	}
	return past, err
}

// Undone is what an undo has done.
type Undone struct {
	Removed   int      `json:"removed"`  // rows that the import had made
	Restored  int      `json:"restored"` // rows that the import had changed
	KeptCount int      `json:"keptCount"`
	Kept      []string `json:"kept"` // the names of rows that stay, the first 20
}

// Undo undoes an import in a change of the module. It returns sql.ErrNoRows if there is no such import, or
// only one that is too old.
func (all Imports) Undo(ctx context.Context, tx *Tx, id string) (Undone, error) {
	done := Undone{Kept: []string{}}
	var found string
	err := tx.QueryRow(ctx, `
		SELECT id::text FROM imports WHERE id = $1::uuid AND at > now() - make_interval(secs => $2) FOR UPDATE`,
		id, UndoImportFor.Seconds()).Scan(&found)
	if err != nil {
		return done, err
	}
	for _, table := range all {
		if err := table.undo(ctx, tx, id, &done); err != nil {
			return done, fmt.Errorf("the undo of %s: %w", table.Kind, err)
		}
	}
	_, err = tx.Exec(ctx, `DELETE FROM imports WHERE id = $1::uuid`, id)
	return done, err
}

// undo puts back what nobody has changed, removes what nobody has changed or uses, and counts the others.
func (table ImportedTable) undo(ctx context.Context, tx *Tx, id string, done *Undone) error {
	names, err := Select[string](ctx, tx, `
		SELECT coalesce(`+table.Name+`, '') `+table.written()+`
		AND (imported.before IS NULL OR NOT `+table.untouched()+`) AND NOT `+table.removable()+`
		AND NOT (imported.before IS NOT NULL AND `+table.gone()+`)
		ORDER BY 1, imported.id`, id, table.Kind)
	if err != nil {
		return err
	}
	for _, name := range names {
		if done.KeptCount++; len(done.Kept) < maxKept && strings.TrimSpace(name) != "" {
			done.Kept = append(done.Kept, name)
		}
	}
	if table.Restore != nil {
		changed, err := SelectBy(ctx, tx, func(row Scanner, one *jsontext.Value) error {
			return row.Scan((*[]byte)(one))
		}, `
			SELECT imported.before `+table.written()+` AND imported.before IS NOT NULL AND `+table.untouched()+`
			ORDER BY imported.id`, id, table.Kind)
		if err != nil {
			return err
		}
		if len(changed) > 0 {
			if err := table.Restore(ctx, tx, changed); err != nil {
				return err
			}
		}
		done.Restored += len(changed)
	}
	begin := `DELETE FROM ` + table.From + ` AS row USING imported`
	if table.Remove != "" {
		begin = `UPDATE ` + table.From + ` AS row SET ` + table.Remove + ` FROM imported`
	}
	removed, err := tx.Exec(ctx, begin+`
		WHERE imported.import_id = $1::uuid AND imported.kind = $2
		  AND imported.id = `+table.key()+` AND `+table.removable(),
		id, table.Kind)
	done.Removed += int(removed)
	return err
}

// written selects the rows of an import that are still there.
func (table ImportedTable) written() string {
	return `FROM imported JOIN ` + table.From + ` AS row ON imported.id = ` + table.key() +
		` WHERE imported.import_id = $1::uuid AND imported.kind = $2`
}

func (table ImportedTable) untouched() string { return `(imported.rev = ` + table.rev() + `)` }

func (table ImportedTable) gone() string {
	return `coalesce((` + orElse(table.Gone, "false") + `), false)`
}

// removable is the condition for rows that the undo deletes.
func (table ImportedTable) removable() string {
	unused := `NOT coalesce((` + orElse(table.Used, "false") + `), false)`
	return `(imported.before IS NULL AND ` + unused + ` AND (` + table.untouched() + ` OR ` + table.gone() + `))`
}

// Forget deletes what is known of imports that can no longer be undone; call it in a schedule, which it tells
// when there is something to do again (NothingUntil).
func (all Imports) Forget(ctx context.Context, db Querier) error {
	_, err := db.Exec(ctx, `DELETE FROM imports WHERE at <= now() - make_interval(secs => $1)`,
		UndoImportFor.Seconds())
	if err != nil {
		return err
	}
	return NothingUntil(ctx, db, fmt.Sprintf(`SELECT min(at) + make_interval(secs => %d) FROM imports`,
		UndoImportFor/time.Second))
}
