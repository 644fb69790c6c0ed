package main

import (
	"context"
	"io"
	"net/http"

	"github.com/google/uuid"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// imported is what an import changes, or would change.
type imported struct {
	Added     int      `json:"added"`
	Changed   int      `json:"changed"`
	Unchanged int      `json:"unchanged"`
	NewRoles  []string `json:"newRoles"`
	// Examples are the names of the first ones in the file.
	Examples []string `json:"examples"`
	sdk.Exchange
}

// importVolunteers imports a list. A volunteer with the same name and address is changed, every other one is
// added, and none is removed. What the list has no column for stays as it is.
func (m *rota) importVolunteers(ctx context.Context, r *http.Request) (any, error) {
	exchange, err := sdk.ReadExchange(r)
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	result := &imported{NewRoles: []string{}, Examples: []string{}, Exchange: exchange}
	list := readList(content, &result.Exchange)
	for _, l := range list.lines[:min(len(list.lines), 3)] {
		result.Examples = append(result.Examples, l.draft.Label)
	}
	if result.ProblemCount == 0 {
		err = m.change(ctx, func(tx *sdk.Tx) (update, error) {
			return update{}, result.Keep(list.write(ctx, tx, result))
		})
	}
	return result.Answer(result, err)
}

// write changes the volunteers, and adds the new ones all at once.
func (list *volunteerList) write(ctx context.Context, tx *sdk.Tx, result *imported) error {
	before, err := volunteers(ctx, tx, nil)
	if err != nil {
		return err
	}
	there := make(map[string]*volunteer)
	for n := range before {
		there[keyOf(before[n].Label, before[n].Email)] = &before[n]
	}
	if err := list.findRoles(ctx, tx, result); err != nil {
		return err
	}
	var added []*line
	var changed []writtenPerson
	rows := map[string][]sdk.ImportedRow{"roles": list.madeRoles}
	for n := range list.lines {
		l := &list.lines[n]
		old := there[l.key()]
		switch {
		case old == nil && len(before)+len(added) >= maxVolunteers:
			l.leaveOut(&result.Exchange, "TOO_MANY", "", l.draft.Label)
		case old == nil:
			added = append(added, l)
		default:
			if now := list.changed(old, &l.draft); now.same(old.written()) {
				result.Unchanged++
			} else {
				changed = append(changed, now)
				rows["volunteers"] = append(rows["volunteers"], sdk.ImportedRow{Key: old.ID, Before: old.written()})
			}
		}
	}
	if result.Changed = len(changed); result.Changed > 0 {
		if err := writePeople(ctx, tx, changed); err != nil { // the addresses are the same
			return err
		}
	}
	made, err := insertLines(ctx, tx, added, result)
	if err != nil {
		return err
	}
	rows["volunteers"] = append(rows["volunteers"], made...)
	if len(rows["volunteers"])+len(rows["roles"]) == 0 {
		return sdk.ErrUnchanged
	}
	return imports.Remember(ctx, tx, rows)
}

// findRoles gives each line the ids of its roles, and adds those that are new. A line with one too many is
// left out.
func (list *volunteerList) findRoles(ctx context.Context, tx *sdk.Tx, result *imported) error {
	known, err := roles(ctx, tx)
	if err != nil {
		return err
	}
	ids := make(map[string]string)
	for _, r := range known {
		ids[folded(r.Name)] = r.ID
	}
	kept := list.lines[:0]
lines:
	for _, l := range list.lines {
		for _, name := range l.roles {
			if ids[folded(name)] == "" {
				if len(ids) >= maxRoles {
					l.leaveOut(&result.Exchange, "TOO_MANY_ROLES", "roles", name)
					continue lines
				}
				if ids[folded(name)], err = addRole(ctx, tx, name, len(ids), nil); err != nil {
					return err
				}
				result.NewRoles = append(result.NewRoles, name)
				list.madeRoles = append(list.madeRoles, sdk.ImportedRow{Key: ids[folded(name)]})
			}
			l.draft.RoleIDs = append(l.draft.RoleIDs, ids[folded(name)])
		}
		kept = append(kept, l)
	}
	if list.lines = kept; len(result.NewRoles) > 0 {
		_, err = tx.Exec(ctx, `UPDATE board SET roles_rev = roles_rev + 1`)
	}
	return err
}

// changed returns a volunteer who is here already, as the list has them.
func (list *volunteerList) changed(old *volunteer, draft *volunteerDraft) writtenPerson {
	now := old.written()
	now.Label, now.Email = draft.Label, draft.Email
	if list.hasRoles {
		now.RoleIDs = draft.RoleIDs
	}
	if list.hasLanguage {
		now.Language = draft.Language
	}
	return now
}

// insertLines adds volunteers, with two statements however many they are. The database may find two names
// equal that are different here. It returns those that were added.
func insertLines(ctx context.Context, tx *sdk.Tx, added []*line, result *imported) (
	rows []sdk.ImportedRow, err error,
) {
	columns, ids := make([][]string, 4), make([]string, len(added))
	for n, l := range added {
		ids[n] = uuid.NewString()
		for at, value := range []string{ids[n], l.draft.Label, l.draft.Email, l.draft.Language} {
			columns[at] = append(columns[at], value)
		}
	}
	made, err := sdk.Select[string](ctx, tx, `
		INSERT INTO volunteers (id, label, email, language, digest)
		SELECT id::uuid, label, email, language, false
		FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS row (id, label, email, language)
		ON CONFLICT DO NOTHING
		RETURNING id::text`, columns[0], columns[1], columns[2], columns[3])
	if err != nil {
		return nil, err
	}
	here := make(map[string]bool, len(made))
	for _, id := range made {
		here[id] = true
	}
	result.Added = len(made)
	pairs := make([][]string, 2)
	for n, l := range added {
		if !here[ids[n]] {
			l.leaveOut(&result.Exchange, "TWICE", "name", l.draft.Label)
			continue
		}
		rows = append(rows, sdk.ImportedRow{Key: ids[n]})
		for _, role := range l.draft.RoleIDs {
			pairs[0], pairs[1] = append(pairs[0], ids[n]), append(pairs[1], role)
		}
	}
	_, err = tx.Exec(ctx, `
		INSERT INTO volunteer_roles (volunteer_id, role_id)
		SELECT volunteer::uuid, role::uuid FROM unnest($1::text[], $2::text[]) AS row (volunteer, role)
		ON CONFLICT DO NOTHING`, pairs[0], pairs[1])
	return rows, err
}
