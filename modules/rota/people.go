package main

import (
	"context"
	"errors"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// forget removes everything that identifies a person from their row, also when a coordinator has removed them
// and an archive has brought them back. Their past assignments remain, without a name.
func (m *rota) forget(ctx context.Context, userID string) error {
	return m.change(ctx, func(tx *sdk.Tx) (update, error) {
		_, err := tx.Exec(ctx, `
			INSERT INTO departed (volunteer_id, user_id) SELECT id, user_id FROM volunteers WHERE user_id = $1
			ON CONFLICT (volunteer_id) DO UPDATE SET user_id = excluded.user_id`, userID)
		if err != nil {
			return update{}, err
		}
		ids, err := sdk.Select[string](ctx, tx, `
			SELECT volunteer_id::text FROM departed
			WHERE user_id = $1 AND NOT EXISTS (
				SELECT FROM volunteers AS v WHERE v.id = volunteer_id AND v.user_id <> $1) -- somebody else by now
			ORDER BY volunteer_id`, userID)
		if err != nil {
			return update{}, err
		}
		told := update{mails: len(ids) > 0, unlinked: ids}
		for _, id := range ids {
			if err := m.forgetVolunteer(ctx, tx, id); err != nil {
				return update{}, err
			}
			if err := forgetNews(ctx, tx, id, userID); err != nil {
				return update{}, err
			}
		}
		_, err = tx.Exec(ctx, `
			UPDATE departed SET user_id = NULL, erased_on = CURRENT_DATE
			WHERE volunteer_id = ANY ($1::text[]::uuid[])`, ids)
		if err == nil {
			_, err = tx.Exec(ctx, `DELETE FROM departed WHERE user_id = $1`, userID)
		}
		if err == nil {
			err = forgetNews(ctx, tx, "", userID)
		}
		if err != nil || len(ids) == 0 {
			return told, err
		}
		// the rows are no longer shown, so readers fetch the board again
		return told, m.queueNews(ctx, tx)
	})
}

// forgetVolunteer empties a volunteer's row. Of one who is not here it removes what is left.
func (m *rota) forgetVolunteer(ctx context.Context, tx *sdk.Tx, id string) error {
	if err := m.noteRemoval(ctx, tx, id); err != nil {
		return err
	}
	for _, statement := range []string{
		`UPDATE volunteers
		 SET label = '', email = '', language = '', digest = false, user_id = NULL, link = link + 1,
		     mail_id = NULL, per_month = NULL, rev = rev + 1
		 WHERE id = $1`,
		`DELETE FROM away WHERE volunteer_id = $1`,
		`DELETE FROM wishes WHERE volunteer_id = $1`,
		`DELETE FROM substitutes WHERE volunteer_id = $1`,
		`UPDATE assignments SET seeking = false WHERE volunteer_id = $1 AND seeking`,
		`DELETE FROM pairs WHERE volunteer_id = $1 OR other_id = $1`,
		`DELETE FROM volunteer_roles WHERE volunteer_id = $1`,
		`DELETE FROM mail_log WHERE volunteer_id = $1`,
		forgetImported,
	} {
		if _, err := tx.Exec(ctx, statement, id); err != nil {
			return err
		}
	}
	return nil
}

// forgetImported removes what an undo of an import would bring back of a volunteer.
const forgetImported = `DELETE FROM imported WHERE kind = 'volunteers' AND id = $1::uuid::text`

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

// exportPerson returns everything that the module stores about a person. Of somebody who was removed from the
// volunteers news are left, and which volunteer they were.
func (m *rota) exportPerson(ctx context.Context, userID string) (any, error) {
	own, err := volunteerOf(ctx, m.db, userID)
	if errors.Is(err, errNoVolunteer) {
		heard, err := m.newsOf(ctx, "", userID)
		if err != nil {
			return nil, err
		}
		former, err := sdk.Select[string](ctx, m.db, `
			SELECT volunteer_id::text FROM departed WHERE user_id = $1 ORDER BY volunteer_id`, userID)
		if err != nil || len(heard)+len(former) == 0 {
			return nil, err
		}
		return map[string]any{"news": heard, "volunteersRemoved": former}, nil
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
	served := make([]servedIn, len(assigned))
	for n, a := range assigned {
		served[n] = servedIn{a.ServiceID, names[a.RoleID], a.Status, a.Was, a.Seeking}
	}
	heard, err := m.newsOf(ctx, own.ID, userID)
	if err != nil {
		return nil, err
	}
	mails, err := sdk.Select[exportedMail](ctx, m.db, `
		SELECT kind, queued_at, outcome FROM mail_log WHERE volunteer_id = $1 ORDER BY id`, own.ID)
	if err != nil {
		return nil, err
	}
	able := make([]string, len(own.RoleIDs))
	for n, id := range own.RoleIDs {
		able[n] = names[id]
	}
	standIns, err := sdk.Select[string](ctx, m.db, `
		SELECT a.service_ref
		FROM substitutes AS s JOIN assignments AS a ON a.id = s.assignment_id
		WHERE s.volunteer_id = $1::uuid
		ORDER BY a.id`, own.ID)
	if err != nil {
		return nil, err
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
		"roles": able, "assignments": served, "askedToStandIn": standIns, "news": heard, "mails": mails}, nil
}

// servedIn is an assignment in the export of its volunteer.
type servedIn struct {
	Service   string     `json:"service"`
	Role      string     `json:"role"`
	Answer    string     `json:"answer"`
	SaidYesTo *time.Time `json:"saidYesTo,omitempty"` // the start before the service was moved
	Seeking   bool       `json:"seeksSubstitute"`
}

// exportedMail is a mail in the export of whom it is for. A nil outcome is that of one that waits.
type exportedMail struct {
	Kind    string    `json:"kind"`
	At      time.Time `json:"at"`
	Outcome *string   `json:"outcome"`
}

// exportedNews are news in the export of a person. Mailed tells whether they are in a mail already, or wait
// for one; nil: the news are about the person and were told to others alone.
type exportedNews struct {
	What    string    `json:"what"`
	Service string    `json:"service"`
	Title   string    `json:"title"`
	Start   time.Time `json:"start"`
	Role    string    `json:"role"`
	Mailed  *bool     `json:"mailed"`
}

// newsOf returns the news about a volunteer, also about one who was removed, and what they are told.
func (m *rota) newsOf(ctx context.Context, volunteerID, userID string) ([]exportedNews, error) {
	return sdk.Select[exportedNews](ctx, m.db, `
		SELECT n.kind, n.service_ref, n.title, n.starts_at, coalesce(r.name, ''),
		       CASE WHEN t.news_id IS NOT NULL THEN t.mail_id IS NOT NULL END
		FROM news AS n
			LEFT JOIN roles AS r ON r.id = n.role_id
			LEFT JOIN told AS t ON t.news_id = n.id AND t.volunteer_id = coalesce(nullif($1, '')::uuid, n.volunteer_id)
		WHERE n.volunteer_id = nullif($1, '')::uuid OR t.volunteer_id = nullif($1, '')::uuid OR n.user_id = $2
		ORDER BY n.id`, volunteerID, userID)
}
