package main

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// The kinds of news.
const (
	newsMoved     = "moved"
	newsCancelled = "cancelled"
	newsRestored  = "restored"
	newsDeclined  = "declined" // somebody who said yes, or was asked for a near date, cannot come
	newsAway      = "away"     // somebody is away on a date that they said yes to
	newsRemoved   = "removed"  // somebody who was asked is not planned any more
	newsReplaced  = "replaced" // somebody takes over the date of somebody else
)

const (
	maxNews  = 100       // that a board has, as unseenJSON says
	gather   = time.Hour // a person gets at most one mail about news in this time
	newsDays = 90        // how long news are kept
)

// newsItem is a change in the form that coordinators get. Name is that of the volunteer; "" for a service,
// or for an erased person.
type newsItem struct {
	ID        int64      `json:"id"`
	Kind      string     `json:"kind"`
	ServiceID string     `json:"serviceId"`
	Title     string     `json:"title"`
	Start     time.Time  `json:"start"`
	Was       *time.Time `json:"was"`
	People    int        `json:"people"` // how many the change concerns
	Role      string     `json:"role"`
	Name      string     `json:"name"`

	once string
}

const newsRows = `
	SELECT n.id, n.kind, n.service_ref, n.title, n.starts_at, n.was, n.people, coalesce(r.name, ''),
	       coalesce(v.label, n.label)
	FROM news AS n LEFT JOIN roles AS r ON r.id = n.role_id LEFT JOIN volunteers AS v ON v.id = n.volunteer_id
	WHERE `

const unseenNews = newsRows + `NOT n.seen ORDER BY n.id DESC LIMIT $1`

func scanNews(row sdk.Scanner, n *newsItem) error {
	return row.Scan(&n.ID, &n.Kind, &n.ServiceID, &n.Title, &n.Start, &n.Was, &n.People, &n.Role, &n.Name)
}

// unseenJSON has the same news, as a column of the board.
const unseenJSON = `
	coalesce((
		SELECT json_agg(one)
		FROM (
			SELECT n.id, n.kind, n.service_ref AS "serviceId", n.title, n.starts_at AS start, n.was, n.people,
			       coalesce(r.name, '') AS role, coalesce(v.label, n.label) AS name
			FROM news AS n
				LEFT JOIN roles AS r ON r.id = n.role_id
				LEFT JOIN volunteers AS v ON v.id = n.volunteer_id
			WHERE NOT n.seen
			ORDER BY n.id DESC
			LIMIT 100) AS one), '[]')`

// note stores news of a service and whom to tell: the people it concerns, and the coordinators. The caller
// knows already.
func (m *rota) note(ctx context.Context, tx *sdk.Tx, n newsItem, people []string) error {
	return m.store(ctx, tx, n, duty{}, people)
}

// duty is an assignment with its service and its volunteer.
type duty struct {
	ID, RoleID, VolunteerID, Status, Label string
	UserID                                 *string
	Service                                service
}

// dutiesWhere returns the assignments of services that are still to come for which a condition is true.
func (m *rota) dutiesWhere(ctx context.Context, tx sdk.Querier, where string, args ...any) ([]duty, error) {
	args = append(args, m.clock())
	return sdk.SelectBy(ctx, tx, func(row sdk.Scanner, d *duty) error {
		return row.Scan(&d.ID, &d.RoleID, &d.VolunteerID, &d.Status, &d.Label, &d.UserID, &d.Service.ID,
			&d.Service.Title, &d.Service.Start)
	}, `
		SELECT a.id::text, a.role_id::text, a.volunteer_id::text, a.status, v.label, v.user_id, a.service_ref,
		       k.title, k.starts_at
		FROM assignments AS a
			JOIN volunteers AS v ON v.id = a.volunteer_id
			JOIN known_services AS k USING (service_ref)
		WHERE NOT k.cancelled AND `+where+` AND k.starts_at > $`+strconv.Itoa(len(args))+`
		ORDER BY k.starts_at, a.id`, args...)
}

// noteDuty stores news of one volunteer in one service.
func (m *rota) noteDuty(ctx context.Context, tx *sdk.Tx, kind string, d duty) error {
	n := newsItem{Kind: kind, ServiceID: d.Service.ID, Title: d.Service.Title, Start: d.Service.Start, People: 1}
	return m.store(ctx, tx, n, d, []string{d.VolunteerID})
}

func (m *rota) store(ctx context.Context, tx *sdk.Tx, n newsItem, d duty, people []string) error {
	if n.once == "" { // changes of the board have their turn, so each has another rev
		var rev string
		if err := tx.QueryRow(ctx, `SELECT rev::text FROM board`).Scan(&rev); err != nil {
			return err
		}
		n.once = d.ID + "/" + rev
	}
	var id int64
	err := tx.QueryRow(ctx, `
		INSERT INTO news
			(once, kind, service_ref, title, starts_at, was, people, role_id, volunteer_id, user_id, at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, nullif($8, '')::uuid, nullif($9, '')::uuid, $10, $11)
		ON CONFLICT (once) DO UPDATE SET once = excluded.once
		RETURNING id`, n.Kind+"/"+n.once, n.Kind, n.ServiceID, n.Title, n.Start, n.Was, n.People, d.RoleID,
		d.VolunteerID, d.UserID, m.clock()).Scan(&id)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `
		INSERT INTO told (news_id, volunteer_id, coordinates)
		SELECT $1, id, NOT id = ANY($2::uuid[])
		FROM volunteers
		WHERE (id = ANY($2::uuid[]) OR digest) AND email <> '' AND (user_id IS NULL OR user_id <> $3)
		ON CONFLICT DO NOTHING`, id, people, sdk.Principal(ctx).UserID)
	return err
}

// queueNews stores a mail for everybody who is to be told something and got no such mail within the hour.
// What happens meanwhile is told by the next one.
func (m *rota) queueNews(ctx context.Context, tx *sdk.Tx) error {
	now := m.clock()
	due, err := sdk.Select[string](ctx, tx, `
		SELECT DISTINCT volunteer_id::text
		FROM told
		WHERE mail_id IS NULL AND NOT EXISTS (
			SELECT
			FROM told AS before JOIN mail_log AS m ON m.id = before.mail_id
			WHERE before.volunteer_id = told.volunteer_id AND m.queued_at > $1)`, now.Add(-gather))
	if err != nil {
		return err
	}
	for _, id := range due {
		_, err := tx.Exec(ctx, `
			WITH mail AS (
				INSERT INTO mail_log (kind, volunteer_id, queued_at)
				VALUES ($2, (SELECT id FROM volunteers WHERE id = $1), $3)
				RETURNING id)
			UPDATE told SET mail_id = mail.id FROM mail WHERE volunteer_id = $1 AND mail_id IS NULL`,
			id, kindNews, now)
		if err != nil {
			return err
		}
	}
	return nil
}

// gathered queues the news for which the hour is over, and deletes old ones.
func (m *rota) gathered(ctx context.Context) error {
	waiting, err := sdk.Select[int64](ctx, m.db, `SELECT 1 FROM told WHERE mail_id IS NULL LIMIT 1`)
	if err == nil && len(waiting) > 0 {
		err = m.db.InTx(ctx, func(tx *sdk.Tx) error {
			// the lock of every change of the board
			if _, err := tx.Exec(ctx, `SELECT FROM board FOR UPDATE`); err != nil {
				return err
			}
			return m.queueNews(ctx, tx)
		})
	}
	if err != nil {
		return err
	}
	_, err = m.db.Exec(ctx, `DELETE FROM news WHERE at < now() - $1 * interval '1 day'`, newsDays)
	return err
}

// seeNews marks the news of the board as seen, up to the last one that the caller was shown.
func (m *rota) seeNews(ctx context.Context, r *http.Request) (any, error) {
	body, err := sdk.Decode[struct {
		UpTo int64 `json:"upTo"`
	}](r)
	if err != nil {
		return nil, err
	}
	return nil, m.change(ctx, func(tx *sdk.Tx) (update, error) {
		touched, err := tx.Exec(ctx, `UPDATE news SET seen = true WHERE NOT seen AND id <= $1`, body.UpTo)
		if err == nil && touched == 0 {
			err = sdk.ErrUnchanged
		}
		return update{}, err
	})
}

// withNews adds the news of a change to its update, and queues their mails.
func (m *rota) withNews(ctx context.Context, tx *sdk.Tx, told *update) (err error) {
	if err := m.queueNews(ctx, tx); err != nil {
		return err
	}
	told.mails = true
	told.News, err = sdk.SelectBy(ctx, tx, scanNews, unseenNews, maxNews)
	return err
}
