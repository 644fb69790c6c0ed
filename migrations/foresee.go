package migrations

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"
)

// Unprovided returns the modules for which Apply would return ErrRoleUnavailable: they have no database
// role yet, and the user may not create one. It changes nothing and works on an empty database too. Its
// errors are those of Check.
func Unprovided(ctx context.Context, q Querier, modules []Line) ([]string, error) {
	rows, err := q.Query(ctx, `
		SELECT rolsuper OR rolcreaterole, to_regclass('core.module_database_role') IS NOT NULL
		FROM pg_roles
		WHERE rolname = current_user`)
	if err != nil {
		return nil, coded(CoreLine, err)
	}
	found, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[struct{ MayCreate, Migrated bool }])
	if err != nil || found.MayCreate {
		return nil, coded(CoreLine, err)
	}
	var provided []string
	if found.Migrated {
		if provided, err = provisioned(ctx, q); err != nil {
			return nil, err
		}
	}
	var missing []string
	for _, line := range modules {
		if !slices.Contains(provided, line.ID) {
			missing = append(missing, line.ID)
		}
	}
	return missing, nil
}
