package main

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// archive is everything that the module stores, except who has claimed which volunteer, because accounts
// belong to one installation, and mails, news and the search for substitutes, which were meant for its people
// at their time. Services belong to another module and are referred to by its ids.
type archive struct {
	Rota        int              `json:"rota"` // the version of this format
	Roles       []archivedRole   `json:"roles"`
	Needs       []archivedNeed   `json:"needs,omitempty"`
	Volunteers  []archivedPerson `json:"volunteers"`
	Assignments []archivedDuty   `json:"assignments"`
}

type archivedRole struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Needed *int   `json:"needed,omitempty"` // nil, in an archive from before there were numbers: one
}

type archivedNeed struct {
	ServiceID string `json:"serviceId"`
	RoleID    string `json:"roleId"`
	Needed    int    `json:"needed"`
}

type archivedPerson struct {
	ID       string   `json:"id"`
	Label    string   `json:"label"`
	Email    string   `json:"email"`
	Language string   `json:"language"`
	Digest   bool     `json:"digest"`
	RoleIDs  []string `json:"roleIds"`
	Away     []days   `json:"away"`
	Wishes   []days   `json:"wishes,omitempty"`
	PerMonth int      `json:"perMonth,omitempty"`
	Pairs    []pair   `json:"pairs,omitempty"`
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
	ofRoles, err := roles(ctx, m.db)
	if err != nil {
		return nil, err
	}
	for _, r := range ofRoles {
		all.Roles = append(all.Roles, archivedRole{r.ID, r.Name, &r.Needed})
	}
	if all.Needs, err = archivedNeeds(ctx, m.db); err != nil {
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
			all.Volunteers = append(all.Volunteers, archivedPerson{v.ID, v.Label, v.Email, v.Language, v.Digest,
				v.RoleIDs, v.Away, v.Wishes, v.PerMonth, v.Pairs})
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

func archivedNeeds(ctx context.Context, db sdk.Querier) ([]archivedNeed, error) {
	return sdk.Select[archivedNeed](ctx, db, `
		SELECT service_ref, role_id::text, needed FROM needs ORDER BY service_ref, role_id`)
}

// arrived is what the import of an archive changes, or would change. A problem's line is the position in its
// list, from 1.
type arrived struct {
	Roles       int `json:"roles"`
	Needs       int `json:"needs"`
	Volunteers  int `json:"volunteers"`
	Assignments int `json:"assignments"`
	sdk.Exchange

	moved []string // volunteers with another address
	rows  map[string][]sdk.ImportedRow
}

// maxArchive, in bytes, is more than the largest rota needs for some years.
const maxArchive = 8 << 20

// importAll imports an archive. Data with the same id is replaced where it differs, and nothing is removed.
func (m *rota) importAll(ctx context.Context, r *http.Request) (any, error) {
	exchange, err := sdk.ReadExchange(r)
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	result := &arrived{Exchange: exchange, rows: make(map[string][]sdk.ImportedRow)}
	all := &arriving{arrived: result}
	if all.read(content); result.ProblemCount == 0 {
		err = m.change(ctx, func(tx *sdk.Tx) (update, error) {
			err := result.Keep(all.write(ctx, tx))
			return update{unlinked: result.moved}, err
		})
	}
	return result.Answer(result, err)
}
