package main

import (
	"context"
	"errors"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// forget removes everything that identifies a person from their row. Their past assignments remain, without a
// name.
func (m *rota) forget(ctx context.Context, userID string) error {
	return m.change(ctx, func(tx *sdk.Tx) (update, error) {
		var id string
		own, err := volunteerOf(ctx, tx, userID)
		if errors.Is(err, errNoVolunteer) {
			return update{}, sdk.ErrUnchanged
		}
		if err != nil {
			return update{}, err
		}
		id = own.ID
		for _, statement := range []string{
			`UPDATE volunteers
			 SET label = '', email = '', language = '', digest = false, user_id = NULL, link = link + 1,
			     mail_id = NULL, rev = rev + 1
			 WHERE id = $1`,
			`DELETE FROM away WHERE volunteer_id = $1`,
			`DELETE FROM volunteer_roles WHERE volunteer_id = $1`,
			`DELETE FROM mail_log WHERE volunteer_id = $1`,
		} {
			if _, err := tx.Exec(ctx, statement, id); err != nil {
				return update{}, err
			}
		}
		return update{}, nil // the row is no longer shown, so readers fetch the board again
	})
}

// exportPerson returns everything that the module stores about a person.
func (m *rota) exportPerson(ctx context.Context, userID string) (any, error) {
	own, err := volunteerOf(ctx, m.db, userID)
	if errors.Is(err, errNoVolunteer) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	ofRoles, err := roles(ctx, m.db)
	if err != nil {
		return nil, err
	}
	names := make(map[string]string, len(ofRoles))
	for _, r := range ofRoles {
		names[r.ID] = r.Name
	}
	assigned, err := assignments(ctx, m.db, `volunteer_id = $1`, own.ID)
	if err != nil {
		return nil, err
	}
	served := make([]map[string]string, len(assigned))
	for n, a := range assigned {
		served[n] = map[string]string{"service": a.ServiceID, "role": names[a.RoleID], "answer": a.Status}
	}
	able := make([]string, len(own.RoleIDs))
	for n, id := range own.RoleIDs {
		able[n] = names[id]
	}
	return map[string]any{"label": own.Label, "email": own.Email, "language": own.Language, "away": own.Away,
		"roles": able, "assignments": served}, nil
}
