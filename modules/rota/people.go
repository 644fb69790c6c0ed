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
		own, err := volunteerOf(ctx, tx, userID)
		if errors.Is(err, errNoVolunteer) { // a coordinator may have removed them
			return update{}, forgetNews(ctx, tx, "", userID)
		}
		if err != nil {
			return update{}, err
		}
		if err := m.noteRemoval(ctx, tx, own.ID); err != nil {
			return update{}, err
		}
		if err := forgetNews(ctx, tx, own.ID, userID); err != nil {
			return update{}, err
		}
		for _, statement := range []string{
			`UPDATE volunteers
			 SET label = '', email = '', language = '', digest = false, user_id = NULL, link = link + 1,
			     mail_id = NULL, per_month = NULL, rev = rev + 1
			 WHERE id = $1`,
			`DELETE FROM away WHERE volunteer_id = $1`,
			`DELETE FROM wishes WHERE volunteer_id = $1`,
			`DELETE FROM pairs WHERE volunteer_id = $1 OR other_id = $1`,
			`DELETE FROM volunteer_roles WHERE volunteer_id = $1`,
			`DELETE FROM mail_log WHERE volunteer_id = $1`,
		} {
			if _, err := tx.Exec(ctx, statement, own.ID); err != nil {
				return update{}, err
			}
		}
		// the row is no longer shown, so readers fetch the board again
		return update{mails: true}, m.queueNews(ctx, tx)
	})
}

// forgetNews removes what the news say about a person, and the mails that wait for them.
func forgetNews(ctx context.Context, tx *sdk.Tx, volunteerID, userID string) error {
	for _, statement := range []string{
		`DELETE FROM told WHERE volunteer_id = nullif($1, '')::uuid
			OR volunteer_id IN (SELECT volunteer_id FROM news WHERE user_id = $2)`,
		`UPDATE news SET label = '', user_id = NULL WHERE volunteer_id = nullif($1, '')::uuid OR user_id = $2`,
	} {
		if _, err := tx.Exec(ctx, statement, volunteerID, userID); err != nil {
			return err
		}
	}
	return nil
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
	told, err := sdk.SelectBy(ctx, m.db, scanNews, newsRows+`
		n.volunteer_id = $1::uuid OR n.id IN (SELECT news_id FROM told WHERE volunteer_id = $1::uuid)
		ORDER BY n.id`, own.ID)
	if err != nil {
		return nil, err
	}
	heard := make([]map[string]any, len(told))
	for n, one := range told {
		heard[n] = map[string]any{"what": one.Kind, "service": one.ServiceID, "title": one.Title,
			"start": one.Start, "role": one.Role}
	}
	able := make([]string, len(own.RoleIDs))
	for n, id := range own.RoleIDs {
		able[n] = names[id]
	}
	likes, apart := 0, 0 // how many: the names are those of others
	for _, p := range own.Pairs {
		if p.Apart {
			apart++
		} else {
			likes++
		}
	}
	return map[string]any{"label": own.Label, "email": own.Email, "language": own.Language, "away": own.Away,
		"wishes": own.Wishes, "perMonth": own.PerMonth, "gladlyWith": likes, "neverWith": apart,
		"roles": able, "assignments": served, "news": heard}, nil
}
