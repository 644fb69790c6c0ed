package main

import (
	"context"
	"net/http"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// need is how many people a role needs in one service, where that is another number than usual.
type need struct {
	RoleID string `json:"roleId"`
	Needed int    `json:"needed"`
	Rev    int64  `json:"rev"`
}

// serviceNeed is a need with its service.
type serviceNeed struct {
	ServiceID string `json:"serviceId"`
	need
}

// needsOf groups needs by their services.
func needsOf(all []serviceNeed) map[string][]need {
	of := make(map[string][]need)
	for _, n := range all {
		of[n.ServiceID] = append(of[n.ServiceID], n.need)
	}
	return of
}

// needsJSON has the needs of the services whose ids are the first argument, as a column.
const needsJSON = `
	coalesce((
		SELECT json_agg(json_build_object('serviceId', service_ref, 'roleId', role_id, 'needed', needed, 'rev', rev)
		                ORDER BY service_ref, role_id)
		FROM needs WHERE service_ref = ANY($1::text[])), '[]')`

// needList is a coordinator's change of what one service needs. Rev is the one that the writer saw, 0 if the
// service had the usual number.
type needList struct {
	Needs []struct {
		RoleID string `json:"roleId"`
		Needed *int   `json:"needed"` // nil: as usual
		Rev    int64  `json:"rev"`
	} `json:"needs"`
}

func (l *needList) check() error {
	if len(l.Needs) == 0 || len(l.Needs) > maxRoles {
		return sdk.ErrRequestInvalid
	}
	for _, n := range l.Needs {
		if !sdk.IsID(n.RoleID) || n.Needed != nil && !isNeeded(*n.Needed) || n.Rev < 0 {
			return sdk.ErrRequestInvalid
		}
	}
	return nil
}

// putNeeds makes all changes of one service, or none if somebody else changed one of them meanwhile.
func (m *rota) putNeeds(ctx context.Context, r *http.Request) (any, error) {
	list, err := sdk.Decode[needList](r)
	if err != nil {
		return nil, err
	}
	if err := list.check(); err != nil {
		return nil, err
	}
	ref := r.PathValue("ref")
	if _, err := m.plannedServices(ctx, ref); err != nil {
		return nil, err
	}
	return nil, m.change(ctx, func(tx *sdk.Tx) (update, error) {
		for _, n := range list.Needs {
			if err := writeNeed(ctx, tx, ref, n.RoleID, n.Needed, n.Rev); err != nil {
				return update{}, err
			}
		}
		return update{}, nil // readers fetch the board again
	})
}

func writeNeed(ctx context.Context, tx *sdk.Tx, ref, roleID string, needed *int, rev int64) error {
	statement := `
		UPDATE needs SET needed = $4, rev = rev + 1 WHERE service_ref = $1 AND role_id = $2 AND rev = $3`
	args := []any{ref, roleID, rev, needed}
	switch {
	case needed == nil:
		statement, args = `DELETE FROM needs WHERE service_ref = $1 AND role_id = $2 AND rev = $3`, args[:3]
	case rev == 0:
		statement, args = `
			INSERT INTO needs (service_ref, role_id, needed) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
			[]any{ref, roleID, needed}
	}
	touched, err := tx.Exec(ctx, statement, args...)
	if sdk.BrokenConstraint(err) == "needs_role" {
		return errGone
	}
	if err == nil && touched == 0 {
		err = errConflict
	}
	return err
}
