package migrations

import (
	"context"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"
)

// Check reports whether the database matches this installation; api:start refuses to run when it does not.
// It changes nothing. Errors: ErrSchemaMissing, ErrSchemaOutdated, ErrHistoryChanged, ErrDowngrade,
// ErrUnreachable, ErrFiles.
func Check(ctx context.Context, q Querier, modules []Line) error {
	core, err := Core()
	if err != nil {
		return err
	}
	lines, read, exists, err := inspect(ctx, q, core, modules)
	if err != nil {
		return err
	}
	if !exists || len(read[CoreLine]) == 0 {
		return ErrSchemaMissing
	}
	if err := verifyAll(lines, read); err != nil || len(modules) == 0 {
		return err
	}
	provided, err := provisioned(ctx, q)
	if err != nil {
		return err
	}
	return verifyRoles(modules, provided)
}

// verifyAll compares all lines with the ledger. Another history of a later line counts more than missing
// files of an earlier one.
func verifyAll(lines []Line, read map[string][]entry) error {
	var outdated error
	for _, line := range lines {
		applied, err := line.verify(read[line.ID])
		if err != nil {
			return err
		}
		if applied < len(line.Files) && outdated == nil {
			outdated = at(ErrSchemaOutdated, line.ID)
		}
	}
	return outdated
}

// verifyRoles refuses a module that has no usable database role: none was created, or an administrator still
// has to create it.
func verifyRoles(modules []Line, provided []string) error {
	for _, line := range modules {
		if !slices.Contains(provided, line.ID) {
			return at(ErrSchemaOutdated, line.ID)
		}
	}
	return nil
}

// inspect reads the ledger and returns it with all present lines, Core's first.
func inspect(ctx context.Context, q Querier, core Line, modules []Line) (lines []Line,
	read map[string][]entry, exists bool, err error) {
	if err := validate(modules); err != nil {
		return nil, nil, false, err
	}
	lines = append([]Line{core}, modules...)
	if exists, err = ledgerExists(ctx, q); err != nil || !exists {
		return lines, map[string][]entry{}, false, coded(CoreLine, err)
	}
	read, err = histories(ctx, q)
	return lines, read, true, coded(CoreLine, err)
}

const selectProvisioned = `
SELECT module_id
FROM core.module_database_role
WHERE to_regnamespace(quote_ident(schema_name)) IS NOT NULL
  AND (role_name IS NULL OR to_regrole(quote_ident(role_name)) IS NOT NULL)`

// provisioned returns the modules that have a schema, and a role if one is recorded.
func provisioned(ctx context.Context, q Querier) ([]string, error) {
	rows, err := q.Query(ctx, selectProvisioned, once)
	if err != nil {
		return nil, coded(CoreLine, err)
	}
	provided, err := pgx.CollectRows(rows, pgx.RowTo[string])
	return provided, coded(CoreLine, err)
}

func sortedKeys(read map[string][]entry) []string { return slices.Sorted(maps.Keys(read)) }
