package main

import (
	"context"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// write writes what differs from what is here. It returns sdk.ErrUnchanged if nothing does.
func (a *archive) write(ctx context.Context, tx *sdk.Tx, result *arrived) error {
	for _, write := range []func(context.Context, *sdk.Tx, *arrived) error{
		a.writeRoles, a.writeVolunteers, a.writeNeeds, a.writeAssignments,
	} {
		if err := write(ctx, tx, result); err != nil {
			return err
		}
	}
	if len(result.rows) == 0 {
		return sdk.ErrUnchanged
	}
	return imports.Remember(ctx, tx, result.rows)
}

// wrote notes a row that was written, for the undo. before is nil for a new one.
func (r *arrived) wrote(kind, key string, before any) {
	r.rows[kind] = append(r.rows[kind], sdk.ImportedRow{Key: key, Before: before})
}

func (a *archive) writeRoles(ctx context.Context, tx *sdk.Tx, result *arrived) error {
	known, err := roles(ctx, tx)
	if err != nil {
		return err
	}
	before := make(map[string]role)
	for _, r := range known {
		before[r.ID] = r
	}
	for n, r := range a.Roles {
		touched, err := tx.Exec(ctx, `
			INSERT INTO roles (id, name, position, needed) VALUES ($1, $2, $3, coalesce($4::integer, 1))
			ON CONFLICT (id) DO UPDATE
			SET name = excluded.name, position = excluded.position, needed = coalesce($4::integer, roles.needed),
			    rev = roles.rev + 1
			WHERE (roles.name, roles.position, roles.needed) <>
			      (excluded.name, excluded.position, coalesce($4::integer, roles.needed))`,
			r.ID, r.Name, n, r.Needed)
		if err != nil {
			return err
		}
		if touched == 0 {
			continue
		}
		result.Roles++
		if was, found := before[r.ID]; found {
			result.wrote("roles", r.ID, archivedRole{was.ID, was.Name, &was.Needed})
		} else {
			result.wrote("roles", r.ID, nil)
		}
	}
	if result.Roles > 0 {
		_, err = tx.Exec(ctx, `UPDATE board SET roles_rev = roles_rev + 1`)
	}
	return err
}

// writeVolunteers writes the volunteers, and once all of them are there, their pairs.
func (a *archive) writeVolunteers(ctx context.Context, tx *sdk.Tx, result *arrived) error {
	known, err := volunteers(ctx, tx, nil)
	if err != nil {
		return err
	}
	before := make(map[string]*volunteer)
	for n := range known {
		before[known[n].ID] = &known[n]
	}
	var different []writtenPerson
	for n := range a.Volunteers {
		now := a.Volunteers[n].written()
		was, found := before[now.ID]
		switch {
		case !found:
			result.wrote("volunteers", now.ID, nil)
		case now.same(was.written()):
			continue
		default:
			result.wrote("volunteers", now.ID, was.written())
			if was.Email != now.Email {
				result.moved = append(result.moved, now.ID)
			}
		}
		different = append(different, now)
	}
	result.Volunteers = len(different)
	if len(different) == 0 {
		return nil
	}
	if err := writePeople(ctx, tx, different); err != nil {
		return err
	}
	for _, p := range different {
		was, found := before[p.ID]
		if len(*p.Pairs) == 0 && (!found || len(was.Pairs) == 0) {
			continue
		}
		if _, err := writePairs(ctx, tx, p.ID, p.Pairs); err != nil {
			return err
		}
	}
	return nil
}

func (p *archivedPerson) draft() *volunteerDraft {
	return &volunteerDraft{Label: p.Label, Email: p.Email, Language: p.Language, Digest: p.Digest,
		RoleIDs: p.RoleIDs, PerMonth: &p.PerMonth, Pairs: &p.Pairs}
}

func (p *archivedPerson) written() writtenPerson {
	return writtenPerson{p.ID, p.Label, p.Email, p.Language, p.Digest, p.PerMonth, orNone(p.RoleIDs),
		new(orNone(p.Away)), new(orNone(p.Wishes)), new(orNone(p.Pairs))}
}

// orNone returns a list that is not nil.
func orNone[T any](all []T) []T {
	if all == nil {
		return []T{}
	}
	return all
}

func (a *archive) writeNeeds(ctx context.Context, tx *sdk.Tx, result *arrived) error {
	known, err := archivedNeeds(ctx, tx)
	if err != nil {
		return err
	}
	before := make(map[string]archivedNeed)
	for _, n := range known {
		before[n.ServiceID+" "+n.RoleID] = n
	}
	for _, n := range a.Needs {
		touched, err := tx.Exec(ctx, `
			INSERT INTO needs (service_ref, role_id, needed) VALUES ($1, $2, $3)
			ON CONFLICT (service_ref, role_id) DO UPDATE SET needed = excluded.needed, rev = needs.rev + 1
			WHERE needs.needed <> excluded.needed`, n.ServiceID, n.RoleID, n.Needed)
		if err != nil {
			return err
		}
		if key := n.ServiceID + " " + n.RoleID; touched > 0 {
			if was, found := before[key]; found {
				result.wrote("needs", key, was)
			} else {
				result.wrote("needs", key, nil)
			}
		}
	}
	return nil
}

func (a *archive) writeAssignments(ctx context.Context, tx *sdk.Tx, result *arrived) error {
	known, err := assignments(ctx, tx, `id IS NOT NULL`)
	if err != nil {
		return err
	}
	key := func(service, role, volunteer string) string { return service + " " + role + " " + volunteer }
	before := make(map[string]archivedDuty)
	for _, d := range known {
		before[key(d.ServiceID, d.RoleID, d.VolunteerID)] = archivedDuty{d.ServiceID, d.RoleID, d.VolunteerID,
			d.Status, d.Was}
	}
	for _, d := range a.Assignments {
		ids, err := sdk.Select[string](ctx, tx, `
			INSERT INTO assignments (service_ref, role_id, volunteer_id, status, agreed) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT ON CONSTRAINT assignments_once
			DO UPDATE SET status = excluded.status, agreed = excluded.agreed, rev = assignments.rev + 1
			WHERE (assignments.status, assignments.agreed) IS DISTINCT FROM (excluded.status, excluded.agreed)
			RETURNING id::text`,
			d.ServiceID, d.RoleID, d.VolunteerID, d.Status, d.Was)
		if err != nil {
			return err
		}
		for _, id := range ids {
			result.Assignments++
			if was, found := before[key(d.ServiceID, d.RoleID, d.VolunteerID)]; found {
				result.wrote("assignments", id, was)
			} else {
				result.wrote("assignments", id, nil)
			}
		}
	}
	return nil
}
