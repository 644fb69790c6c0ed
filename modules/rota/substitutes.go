package main

import (
	"context"
	"net/http"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// standIn is a date for which somebody looks for a substitute, in the form that those who are asked get.
type standIn struct {
	ID      string  `json:"id"`
	Service service `json:"service"`
	Role    string  `json:"role"`
	Name    string  `json:"name"` // of the volunteer who cannot come
}

// selectStandIns reads the dates to come that a person is asked to take over.
func selectStandIns(into *[]standIn, who self, now time.Time) sdk.Statement {
	return sdk.SelectIntoBy(into, func(row sdk.Scanner, s *standIn) error {
		return row.Scan(&s.ID, &s.Service.ID, &s.Service.Title, &s.Service.Start, &s.Role, &s.Name)
	}, `
		SELECT a.id::text, a.service_ref, k.title, k.starts_at, r.name, o.label
		FROM volunteers AS v
			JOIN substitutes AS s ON s.volunteer_id = v.id
			JOIN assignments AS a ON a.id = s.assignment_id AND a.seeking AND a.status IN ('open', 'yes')
			JOIN known_services AS k ON k.service_ref = a.service_ref AND NOT k.cancelled AND k.starts_at > $2
			JOIN roles AS r ON r.id = a.role_id
			JOIN volunteers AS o ON o.id = a.volunteer_id
		WHERE `+who.is+`
		ORDER BY k.starts_at, a.service_ref, r.position, r.id, a.id`, who.id, now)
}

// freeFor returns who could take over a duty without breaking a rule: of all, or of one for another id.
func (m *rota) freeFor(ctx context.Context, tx *sdk.Tx, d duty, only string) ([]string, error) {
	day := m.dayOf(d.Service.Start)
	month := time.Date(day.Year(), day.Month(), 1, 0, 0, 0, 0, day.Location())
	return sdk.Select[string](ctx, tx, `
		SELECT v.id::text
		FROM volunteers AS v JOIN volunteer_roles AS r ON r.volunteer_id = v.id AND r.role_id = $2
		WHERE v.id <> $3 AND v.label <> '' AND (v.id = nullif($9, '')::uuid OR $9 = '')
		  AND NOT EXISTS (
			SELECT FROM away WHERE volunteer_id = v.id AND $4::text::date BETWEEN first_day AND last_day)
		  AND NOT EXISTS (
			SELECT FROM assignments WHERE volunteer_id = v.id AND service_ref = $5)
		  AND NOT EXISTS (
			SELECT FROM assignments AS a JOIN known_services AS k USING (service_ref)
			WHERE a.volunteer_id = v.id AND a.status <> 'no' AND NOT k.cancelled
			  AND k.starts_at >= $6 AND k.starts_at < $10)
		  AND NOT EXISTS (
			SELECT FROM pairs AS p JOIN assignments AS a ON a.volunteer_id = p.other_id
			WHERE p.volunteer_id = v.id AND p.apart AND a.service_ref = $5 AND a.status <> 'no' AND a.id <> $1)
		  AND (v.per_month IS NULL OR v.per_month > (
			SELECT count(DISTINCT a.service_ref)
			FROM assignments AS a JOIN known_services AS k USING (service_ref)
			WHERE a.volunteer_id = v.id AND a.status <> 'no' AND NOT k.cancelled
			  AND k.starts_at >= $7 AND k.starts_at < $8))
		ORDER BY v.id`, d.ID, d.RoleID, d.VolunteerID, day.Format(time.DateOnly), d.Service.ID, day, month,
		month.AddDate(0, 1, 0), only, day.AddDate(0, 0, 1))
}

// seekSubstitute asks everybody who could take over one of the caller's dates. The caller is expected until
// somebody has accepted.
func (m *rota) seekSubstitute(ctx context.Context, r *http.Request) (any, error) {
	body, err := sdk.Decode[struct {
		Rev int64 `json:"rev"`
	}](r)
	if err != nil {
		return nil, err
	}
	id, err := sdk.PathID(r, errGone)
	if err != nil {
		return nil, err
	}
	m.caughtUp(ctx)
	var asked int
	err = m.change(ctx, func(tx *sdk.Tx) (told update, err error) {
		if asked, err = m.askSubstitutes(ctx, tx, id, body.Rev); err != nil {
			return told, err
		}
		told.mails = true
		told.Assignments, err = assignments(ctx, tx, `id = $1`, id)
		return told, err
	})
	if err != nil {
		return nil, err
	}
	return map[string]int{"asked": asked}, nil
}

func (m *rota) askSubstitutes(ctx context.Context, tx *sdk.Tx, id string, rev int64) (asked int, err error) {
	own, err := ownVolunteer(ctx, tx)
	if err != nil {
		return 0, err
	}
	mine, err := m.dutiesWhere(ctx, tx,
		`a.id = $1::uuid AND a.volunteer_id = $2::uuid AND a.status IN ('open', 'yes')`, id, own.ID)
	if err != nil {
		return 0, err
	}
	if len(mine) == 0 {
		return 0, errGone
	}
	touched, err := tx.Exec(ctx, `
		UPDATE assignments SET seeking = true, rev = rev + 1 WHERE id = $1 AND rev = $2 AND NOT seeking`, id, rev)
	if err != nil {
		return 0, err
	}
	if touched == 0 {
		return 0, errConflict
	}
	free, err := m.freeFor(ctx, tx, mine[0], "")
	if err != nil {
		return 0, err
	}
	if len(free) == 0 {
		return 0, errNobodyFree
	}
	if _, err := tx.Exec(ctx, `DELETE FROM substitutes WHERE assignment_id = $1`, id); err != nil {
		return 0, err
	}
	for _, other := range free {
		mail, err := queue(ctx, tx, kindSubstitute, other)
		if err != nil {
			return 0, err
		}
		_, err = tx.Exec(ctx, `
			INSERT INTO substitutes (assignment_id, volunteer_id, mail_id) VALUES ($1, $2, $3)`, id, other, mail)
		if err != nil {
			return 0, err
		}
	}
	return len(free), nil
}

// takeOver gives the caller a date for which they were asked. Of several people who accept, the statement
// that ends the search lets one through, in whichever process.
func (m *rota) takeOver(ctx context.Context, r *http.Request) (any, error) {
	if _, err := sdk.Decode[struct{}](r); err != nil {
		return nil, err
	}
	id, err := sdk.PathID(r, errGone)
	if err != nil {
		return nil, err
	}
	m.caughtUp(ctx) // they accept the service where it is now
	return nil, m.change(ctx, func(tx *sdk.Tx) (update, error) { return m.replace(ctx, tx, id) })
}

func (m *rota) replace(ctx context.Context, tx *sdk.Tx, id string) (told update, err error) {
	own, err := ownVolunteer(ctx, tx)
	if err != nil {
		return told, err
	}
	duties, err := m.dutiesWhere(ctx, tx, `a.id = $1::uuid AND EXISTS (
		SELECT FROM substitutes WHERE assignment_id = a.id AND volunteer_id = $2::uuid)`, id, own.ID)
	if err != nil {
		return told, err
	}
	if len(duties) == 0 {
		return told, errGone
	}
	was := duties[0]
	touched, err := tx.Exec(ctx, `
		UPDATE assignments SET status = 'no', seeking = false, agreed = NULL, rev = rev + 1
		WHERE id = $1 AND seeking AND status IN ('open', 'yes')`, id)
	if err != nil {
		return told, err
	}
	if touched == 0 {
		return told, errTaken
	}
	free, err := m.freeFor(ctx, tx, was, own.ID)
	if err == nil && len(free) == 0 {
		err = errConflict // they serve elsewhere by now, or are away
	}
	if err != nil {
		return told, err
	}
	now := duty{RoleID: was.RoleID, VolunteerID: own.ID, Service: was.Service}
	err = tx.QueryRow(ctx, `
		INSERT INTO assignments (service_ref, role_id, volunteer_id, status, asked_at)
		VALUES ($1, $2, $3, 'yes', now())
		RETURNING id::text`, was.Service.ID, was.RoleID, own.ID).Scan(&now.ID)
	if err != nil {
		return told, err
	}
	n := newsItem{Kind: newsReplaced, ServiceID: was.Service.ID, Title: was.Service.Title,
		Start: was.Service.Start, People: 1}
	if err := m.store(ctx, tx, n, now, []string{was.VolunteerID}); err != nil {
		return told, err
	}
	if told.Assignments, err = assignments(ctx, tx, `id IN ($1, $2)`, id, now.ID); err != nil {
		return told, err
	}
	return told, m.withNews(ctx, tx, &told)
}
