package main

import (
	"context"
	"net/http"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// archive is everything that the module stores, except who has claimed which volunteer, because accounts
// belong to one installation, and mails and news, which were meant for its people at their time. Services
// belong to another module and are referred to by its ids.
type archive struct {
	Rota        int              `json:"rota"` // the version of this format
	Roles       []role           `json:"roles"`
	Volunteers  []archivedPerson `json:"volunteers"`
	Assignments []archivedDuty   `json:"assignments"`
}

type archivedPerson struct {
	ID       string   `json:"id"`
	Label    string   `json:"label"`
	Email    string   `json:"email"`
	Language string   `json:"language"`
	Digest   bool     `json:"digest"`
	RoleIDs  []string `json:"roleIds"`
	Away     []days   `json:"away"`
}

type archivedDuty struct {
	ServiceID   string     `json:"serviceId"`
	RoleID      string     `json:"roleId"`
	VolunteerID string     `json:"volunteerId"`
	Status      string     `json:"status"`
	Was         *time.Time `json:"was,omitempty"` // the start to which they said yes before it was moved
}

func (m *rota) exportAll(ctx context.Context, _ *http.Request) (any, error) {
	all := archive{Rota: 1}
	var err error
	if all.Roles, err = roles(ctx, m.db); err != nil {
		return nil, err
	}
	everybody, err := volunteers(ctx, m.db, nil)
	if err != nil {
		return nil, err
	}
	known := make(map[string]bool)
	for _, v := range everybody {
		if v.Label != "" { // otherwise erased
			known[v.ID] = true
			all.Volunteers = append(all.Volunteers,
				archivedPerson{v.ID, v.Label, v.Email, v.Language, v.Digest, v.RoleIDs, v.Away})
		}
	}
	assigned, err := assignments(ctx, m.db, `id IS NOT NULL`)
	if err != nil {
		return nil, err
	}
	for _, a := range assigned {
		if known[a.VolunteerID] {
			all.Assignments = append(all.Assignments,
				archivedDuty{a.ServiceID, a.RoleID, a.VolunteerID, a.Status, a.Was})
		}
	}
	return sdk.Response{Header: http.Header{
		"Content-Disposition": {`attachment; filename="rota-` + m.clock().UTC().Format(time.DateOnly) + `.json"`},
	}, Body: all}, nil
}

// arrived is what the import of an archive changes, or would change. A problem's line is the position in its
// list, from 1.
type arrived struct {
	Roles       int `json:"roles"`
	Volunteers  int `json:"volunteers"`
	Assignments int `json:"assignments"`
	sdk.Exchange
}

// importAll imports a whole archive or nothing. Data with the same id is replaced, and nothing is removed.
func (m *rota) importAll(ctx context.Context, r *http.Request) (any, error) {
	exchange, err := sdk.ReadExchange(r)
	if err != nil {
		return nil, err
	}
	all, err := sdk.Decode[archive](r)
	if err != nil {
		return nil, err
	}
	result := &arrived{Exchange: exchange}
	if all.check(&result.Exchange); result.ProblemCount == 0 {
		err = m.change(ctx, func(tx *sdk.Tx) (update, error) {
			return update{}, result.Keep(all.write(ctx, tx, result))
		})
	}
	return result.Answer(result, err)
}

// check finds the problems of the archive.
func (a *archive) check(found *sdk.Exchange) {
	if a.Rota != 1 || len(a.Roles) > maxRoles || len(a.Volunteers) > maxVolunteers {
		found.Problem(1, "NOT_AN_EXPORT")
	}
	ofRoles, people := make(map[string]bool), make(map[string]bool)
	for n, r := range a.Roles {
		if !sdk.IsID(r.ID) || ofRoles[r.ID] || !isLine(r.Name, 1, maxRoleName) {
			found.Problem(n+1, "ROLE_INVALID")
		}
		ofRoles[r.ID] = true
	}
	for n, v := range a.Volunteers {
		draft := volunteerDraft{Label: v.Label, Email: v.Email, Language: v.Language, Digest: v.Digest,
			RoleIDs: v.RoleIDs}
		away := awayList{Away: v.Away}
		if !sdk.IsID(v.ID) || people[v.ID] || draft.check() != nil || away.check() != nil ||
			!allIn(v.RoleIDs, ofRoles) {
			found.Problem(n+1, "VOLUNTEER_INVALID")
		}
		people[v.ID] = true
	}
	for n, d := range a.Assignments {
		if !isLine(d.ServiceID, 1, 64) || !ofRoles[d.RoleID] || !people[d.VolunteerID] || !isStatus(d.Status) {
			found.Problem(n+1, "ASSIGNMENT_INVALID")
		}
	}
}

func allIn(ids []string, known map[string]bool) bool {
	for _, id := range ids {
		if !known[id] {
			return false
		}
	}
	return true
}

func (a *archive) write(ctx context.Context, tx *sdk.Tx, result *arrived) error {
	for n, r := range a.Roles {
		touched, err := tx.Exec(ctx, `
			INSERT INTO roles (id, name, position) VALUES ($1, $2, $3)
			ON CONFLICT (id) DO UPDATE SET name = excluded.name, position = excluded.position
			WHERE (roles.name, roles.position) <> (excluded.name, excluded.position)`, r.ID, r.Name, n)
		if err != nil {
			return err
		}
		result.Roles += int(touched)
	}
	if result.Roles > 0 {
		if _, err := tx.Exec(ctx, `UPDATE board SET roles_rev = roles_rev + 1`); err != nil {
			return err
		}
	}
	for _, v := range a.Volunteers {
		if err := v.write(ctx, tx, result); err != nil {
			return err
		}
	}
	for _, d := range a.Assignments {
		touched, err := tx.Exec(ctx, `
			INSERT INTO assignments (service_ref, role_id, volunteer_id, status, agreed) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT ON CONSTRAINT assignments_once
			DO UPDATE SET status = excluded.status, agreed = excluded.agreed, rev = assignments.rev + 1
			WHERE (assignments.status, assignments.agreed) IS DISTINCT FROM (excluded.status, excluded.agreed)`,
			d.ServiceID, d.RoleID, d.VolunteerID, d.Status, d.Was)
		if err != nil {
			return err
		}
		result.Assignments += int(touched)
	}
	return nil
}

func (p *archivedPerson) write(ctx context.Context, tx *sdk.Tx, result *arrived) error {
	draft := &volunteerDraft{Label: p.Label, Email: p.Email, Language: p.Language, Digest: p.Digest,
		RoleIDs: p.RoleIDs}
	there, err := volunteers(ctx, tx, []string{p.ID})
	if err != nil {
		return err
	}
	if len(there) == 0 {
		_, err = insertVolunteer(ctx, tx, p.ID, draft)
	} else {
		err = updateVolunteer(ctx, tx, p.ID, draft)
	}
	if err != nil {
		return err
	}
	result.Volunteers++
	return replaceAway(ctx, tx, p.ID, p.Away)
}
