package main

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// write writes what differs from what is here. It returns sdk.ErrUnchanged if nothing does.
func (a *arriving) write(ctx context.Context, tx *sdk.Tx) error {
	here, err := a.fit(ctx, tx)
	if err != nil {
		return err
	}
	for _, write := range []func(context.Context, *sdk.Tx, *present) error{
		a.writeRoles, a.writeVolunteers, a.writeNeeds, a.writeAssignments,
	} {
		if err := write(ctx, tx, here); err != nil {
			return err
		}
	}
	if len(a.rows) == 0 {
		return sdk.ErrUnchanged
	}
	return imports.Remember(ctx, tx, a.rows)
}

// wrote notes a row that was written, for the undo. before is nil for a new one.
func (a *arriving) wrote(kind, key string, before any) {
	a.rows[kind] = append(a.rows[kind], sdk.ImportedRow{Key: key, Before: before})
}

func (a *arriving) writeRoles(ctx context.Context, tx *sdk.Tx, here *present) error {
	for _, r := range a.roles {
		touched, err := tx.Exec(ctx, `
			INSERT INTO roles (id, name, position, needed) VALUES ($1, $2, $3, coalesce($4::integer, 1))
			ON CONFLICT (id) DO UPDATE
			SET name = excluded.name, position = excluded.position, needed = coalesce($4::integer, roles.needed),
			    rev = roles.rev + 1
			WHERE (roles.name, roles.position, roles.needed) <>
			      (excluded.name, excluded.position, coalesce($4::integer, roles.needed))`,
			r.of.ID, r.of.Name, r.at-1, r.of.Needed)
		if err != nil {
			return err
		}
		if touched == 0 {
			continue
		}
		a.Roles++
		if was, found := here.roles[r.of.ID]; found {
			a.wrote("roles", r.of.ID, archivedRole{was.ID, was.Name, &was.Needed})
		} else {
			a.wrote("roles", r.of.ID, nil)
		}
	}
	if a.Roles == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, `UPDATE board SET roles_rev = roles_rev + 1`)
	return err
}

// writeVolunteers writes the volunteers, and once all of them are there, their pairs.
func (a *arriving) writeVolunteers(ctx context.Context, tx *sdk.Tx, here *present) error {
	var different []writtenPerson
	for n := range a.volunteers {
		now := a.volunteers[n].of.written()
		was, found := here.people[now.ID]
		switch {
		case !found:
			a.wrote("volunteers", now.ID, nil)
		case now.same(was.written()):
			continue
		default:
			a.wrote("volunteers", now.ID, was.written())
			if was.Email != now.Email {
				a.moved = append(a.moved, now.ID)
			}
		}
		different = append(different, now)
	}
	a.Volunteers = len(different)
	if len(different) == 0 {
		return nil
	}
	if err := writePeople(ctx, tx, different); err != nil {
		return err
	}
	return writeAllPairs(ctx, tx, different)
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

// dutiesAtOnce keeps the values of one statement below its limit.
const dutiesAtOnce = 300

// inParts calls write with the JSON of a few elements at a time.
func inParts[T any](all []listed[T], write func(text string) error) error {
	for part := range slices.Chunk(all, dutiesAtOnce) {
		given := make([]T, len(part))
		for n, one := range part {
			given[n] = one.of
		}
		text, err := json.Marshal(given)
		if err == nil {
			err = write(string(text))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (a *arriving) writeNeeds(ctx context.Context, tx *sdk.Tx, _ *present) error {
	known, err := archivedNeeds(ctx, tx)
	if err != nil {
		return err
	}
	before := make(map[string]archivedNeed)
	for _, n := range known {
		before[n.ServiceID+" "+n.RoleID] = n
	}
	return inParts(a.needs, func(text string) error {
		keys, err := sdk.Select[string](ctx, tx, `
			INSERT INTO needs (service_ref, role_id, needed)
			SELECT "serviceId", "roleId", needed
			FROM jsonb_to_recordset($1::jsonb) AS given ("serviceId" text, "roleId" uuid, needed integer)
			ON CONFLICT (service_ref, role_id) DO UPDATE SET needed = excluded.needed, rev = needs.rev + 1
			WHERE needs.needed <> excluded.needed
			RETURNING service_ref || ' ' || role_id`, text)
		for _, key := range keys {
			if was, found := before[key]; found {
				a.wrote("needs", key, was)
			} else {
				a.wrote("needs", key, nil)
			}
		}
		a.Needs += len(keys)
		return err
	})
}

func (a *arriving) writeAssignments(ctx context.Context, tx *sdk.Tx, _ *present) error {
	known, err := assignments(ctx, tx, `id IS NOT NULL`)
	if err != nil {
		return err
	}
	before := make(map[string]archivedDuty)
	for _, d := range known {
		before[d.ID] = archivedDuty{d.ServiceID, d.RoleID, d.VolunteerID, d.Status, d.Was}
	}
	return inParts(a.assignments, func(text string) error {
		ids, err := sdk.Select[string](ctx, tx, `
			INSERT INTO assignments (service_ref, role_id, volunteer_id, status, agreed)
			SELECT "serviceId", "roleId", "volunteerId", status, was
			FROM jsonb_to_recordset($1::jsonb) AS given (
				"serviceId" text, "roleId" uuid, "volunteerId" uuid, status text, was timestamptz)
			ON CONFLICT ON CONSTRAINT assignments_once
			DO UPDATE SET status = excluded.status, agreed = excluded.agreed, rev = assignments.rev + 1
			WHERE (assignments.status, assignments.agreed) IS DISTINCT FROM (excluded.status, excluded.agreed)
			RETURNING id::text`, text)
		for _, id := range ids {
			if was, found := before[id]; found {
				a.wrote("assignments", id, was)
			} else {
				a.wrote("assignments", id, nil)
			}
		}
		a.Assignments += len(ids)
		return err
	})
}
