package main

import (
	"context"
	"net/http"
	"slices"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// imports are what imports write.
var imports = sdk.Imports{
	{
		Kind: "assignments", From: "assignments", Used: "row.mail_id IS NOT NULL",
		Name:    "(SELECT label FROM volunteers WHERE id = row.volunteer_id)",
		Restore: sdk.RestoreBy(restoreAssignments),
	},
	{
		Kind: "needs", From: "needs", Key: "row.service_ref || ' ' || row.role_id",
		Name: "(SELECT name FROM roles WHERE id = row.role_id)", Restore: sdk.RestoreBy(restoreNeeds),
	},
	{
		// Somebody who was planned, who was written to, or who has signed in stays.
		Kind: "volunteers", From: "volunteers", Name: "row.label",
		Used: `row.user_id IS NOT NULL
			OR EXISTS (SELECT FROM mail_log WHERE volunteer_id = row.id)
			OR EXISTS (SELECT FROM assignments WHERE volunteer_id = row.id)
			OR EXISTS (SELECT FROM substitutes WHERE volunteer_id = row.id)`,
		Restore: sdk.RestoreBy(restorePeople),
	},
	{
		Kind: "roles", From: "roles", Name: "row.name",
		Used: `EXISTS (SELECT FROM volunteer_roles WHERE role_id = row.id)
			OR EXISTS (SELECT FROM assignments WHERE role_id = row.id)
			OR EXISTS (SELECT FROM needs WHERE role_id = row.id)`,
		Restore: sdk.RestoreBy(restoreRoles),
	},
}

// restorePeople writes volunteers back, without pairs with others who are gone.
func restorePeople(ctx context.Context, tx *sdk.Tx, people []writtenPerson) error {
	if err := writePeople(ctx, tx, people); err != nil {
		return err
	}
	there, err := sdk.Select[string](ctx, tx, `SELECT id::text FROM volunteers`)
	if err != nil {
		return err
	}
	for _, p := range people {
		if p.Pairs != nil {
			*p.Pairs = slices.DeleteFunc(*p.Pairs, func(one pair) bool { return !slices.Contains(there, one.ID) })
		}
	}
	return writeAllPairs(ctx, tx, people)
}

func restoreRoles(ctx context.Context, tx *sdk.Tx, before []archivedRole) error {
	for _, r := range before {
		_, err := tx.Exec(ctx, `UPDATE roles SET name = $2, needed = $3, rev = rev + 1 WHERE id = $1`, r.ID, r.Name,
			r.Needed)
		if err != nil {
			return err
		}
	}
	return nil
}

func restoreNeeds(ctx context.Context, tx *sdk.Tx, before []archivedNeed) error {
	for _, n := range before {
		_, err := tx.Exec(ctx, `
			UPDATE needs SET needed = $3, rev = rev + 1 WHERE service_ref = $1 AND role_id = $2`,
			n.ServiceID, n.RoleID, n.Needed)
		if err != nil {
			return err
		}
	}
	return nil
}

func restoreAssignments(ctx context.Context, tx *sdk.Tx, before []archivedDuty) error {
	for _, d := range before {
		_, err := tx.Exec(ctx, `
			UPDATE assignments SET status = $4, agreed = $5, rev = rev + 1
			WHERE service_ref = $1 AND role_id = $2 AND volunteer_id = $3`,
			d.ServiceID, d.RoleID, d.VolunteerID, d.Status, d.Was)
		if err != nil {
			return err
		}
	}
	return nil
}

func (m *rota) listImports(ctx context.Context, _ *http.Request) (any, error) {
	past, err := imports.List(ctx, m.db)
	return map[string]any{"imports": past}, err
}

// undoImport undoes an import of the last day, except what somebody has changed or uses since.
func (m *rota) undoImport(ctx context.Context, r *http.Request) (any, error) {
	id, err := sdk.PathID(r, errNoImport)
	if err != nil {
		return nil, err
	}
	var done sdk.Undone
	err = m.change(ctx, func(tx *sdk.Tx) (update, error) {
		before, err := addressesOf(ctx, tx)
		if err != nil {
			return update{}, err
		}
		if done, err = imports.Undo(ctx, tx, id); err != nil {
			return update{}, sdk.OrNoRow(err, errNoImport)
		}
		if _, err := tx.Exec(ctx, `UPDATE board SET roles_rev = roles_rev + 1`); err != nil {
			return update{}, err
		}
		moved, err := movedSince(ctx, tx, before)
		return update{unlinked: moved}, err
	})
	if err != nil {
		return nil, err
	}
	return done, nil
}

// addressesOf returns the addresses of all volunteers, by their ids.
func addressesOf(ctx context.Context, tx *sdk.Tx) (map[string]string, error) {
	type address struct{ ID, Email string }
	all, err := sdk.Select[address](ctx, tx, `SELECT id::text, email FROM volunteers`)
	of := make(map[string]string, len(all))
	for _, one := range all {
		of[one.ID] = one.Email
	}
	return of, err
}

// movedSince returns the volunteers who have another address now, so that their links end. Who is gone was
// never written to.
func movedSince(ctx context.Context, tx *sdk.Tx, before map[string]string) (moved []string, err error) {
	now, err := addressesOf(ctx, tx)
	for id, email := range before {
		if left, there := now[id]; there && left != email {
			moved = append(moved, id)
		}
	}
	slices.Sort(moved)
	return moved, err
}

func (m *rota) forgetImports(ctx context.Context) error { return imports.Forget(ctx, m.db) }
