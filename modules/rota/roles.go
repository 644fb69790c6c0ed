package main

import (
	"context"
	"net/http"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

const (
	maxRoles    = 30
	maxRoleName = 40
	maxNeeded   = 20 // people in one role of one service
)

// role is a task of volunteers, such as reading.
type role struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Needed int    `json:"needed"` // people in a service that has no number of its own
}

func roles(ctx context.Context, db sdk.Querier) ([]role, error) {
	return sdk.Select[role](ctx, db, `SELECT id::text, name, needed FROM roles ORDER BY position, id`)
}

// rolesJSON has the roles in their order, as a column.
const rolesJSON = `
	coalesce((SELECT json_agg(json_build_object('id', id, 'name', name, 'needed', needed) ORDER BY position, id)
	          FROM roles), '[]')`

// roleList is the whole list in its order. A role without an id is new.
type roleList struct {
	Rev   int64 `json:"rev"`
	Roles []struct {
		ID     *string `json:"id"`
		Name   string  `json:"name"`
		Needed *int    `json:"needed"` // nil: as before; one for a new role
	} `json:"roles"`
}

func (l *roleList) check() error {
	if len(l.Roles) > maxRoles {
		return sdk.ErrRequestInvalid
	}
	seen := make(map[string]bool)
	for _, r := range l.Roles {
		key := folded(r.Name)
		if !isLine(r.Name, 1, maxRoleName) || seen[key] || r.ID != nil && !sdk.IsID(*r.ID) ||
			r.Needed != nil && !isNeeded(*r.Needed) {
			return sdk.ErrRequestInvalid
		}
		seen[key] = true
	}
	return nil
}

func isNeeded(n int) bool { return n >= 0 && n <= maxNeeded }

// putRoles replaces the list, if it has not changed since the writer read it. A role that was ever assigned
// cannot be removed.
func (m *rota) putRoles(ctx context.Context, r *http.Request) (any, error) {
	list, err := sdk.Decode[roleList](r)
	if err != nil {
		return nil, err
	}
	if err := list.check(); err != nil {
		return nil, err
	}
	err = m.change(ctx, func(tx *sdk.Tx) (update, error) { return update{}, writeRoles(ctx, tx, &list) })
	if err != nil {
		return nil, err
	}
	return map[string]int64{"rev": list.Rev + 1}, nil
}

func writeRoles(ctx context.Context, tx *sdk.Tx, list *roleList) error {
	touched, err := tx.Exec(ctx, `UPDATE board SET roles_rev = roles_rev + 1 WHERE roles_rev = $1`, list.Rev)
	if err != nil {
		return err
	}
	if touched == 0 {
		return errConflict
	}
	kept := []string{}
	for n, r := range list.Roles {
		var id string
		if r.ID == nil {
			id, err = addRole(ctx, tx, r.Name, n, r.Needed)
		} else {
			id = *r.ID
			touched, err = tx.Exec(ctx, `
				UPDATE roles
				SET name = $2, position = $3, needed = coalesce($4, needed),
				    rev = rev + CASE WHEN (name, needed) = ($2, coalesce($4, needed)) THEN 0 ELSE 1 END
				WHERE id = $1`,
				id, r.Name, n, r.Needed)
			if err == nil && touched == 0 {
				err = errGone
			}
		}
		if err != nil {
			return err
		}
		kept = append(kept, id)
	}
	_, err = tx.Exec(ctx, `DELETE FROM roles WHERE id <> ALL($1::uuid[])`, kept)
	if sdk.BrokenConstraint(err) == "assignments_role" {
		return errRoleInUse
	}
	return err
}

// addRole adds a role. needed is nil for one person.
func addRole(ctx context.Context, tx *sdk.Tx, name string, position int, needed *int) (id string, err error) {
	err = tx.QueryRow(ctx, `
		INSERT INTO roles (name, position, needed) VALUES ($1, $2, coalesce($3, 1)) RETURNING id::text`,
		name, position, needed).Scan(&id)
	return id, err
}
