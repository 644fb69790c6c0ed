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
	if may, err := MayMakeRoles(ctx, q); err != nil || may {
		return nil, err
	}
	rows, err := q.Query(ctx, `SELECT to_regclass('core.module_database_role') IS NOT NULL`)
	if err != nil {
		return nil, coded(CoreLine, err)
	}
	migrated, err := pgx.CollectExactlyOneRow(rows, pgx.RowTo[bool])
	if err != nil {
		return nil, coded(CoreLine, err)
	}
	var provided []string
	if migrated {
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
