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
	Unreached []string   `json:"unreached"` // whom no mail told

	once string
}

// unseenJSON has the news that no coordinator has seen, as a column of the board. Those that were undone
// meanwhile are not among them: who could not come has accepted after all, or is not planned any more.
const unseenJSON = `
	coalesce((
		SELECT json_agg(one)
		FROM (
			SELECT n.id, n.kind, n.service_ref AS "serviceId", n.title, n.starts_at AS start, n.was, n.people,
			       coalesce(r.name, '') AS role, coalesce(v.label, n.label) AS name, ` + unreached + ` AS unreached
			FROM news AS n
				LEFT JOIN roles AS r ON r.id = n.role_id
				LEFT JOIN volunteers AS v ON v.id = n.volunteer_id
			WHERE NOT n.seen AND (n.kind NOT IN ('declined', 'away', 'replaced') OR EXISTS (
				SELECT FROM assignments AS a
				WHERE a.service_ref = n.service_ref AND a.role_id = n.role_id AND a.volunteer_id = n.volunteer_id
				  AND a.status = CASE n.kind WHEN 'declined' THEN 'no' ELSE 'yes' END))
			ORDER BY n.id DESC
			LIMIT 100) AS one), '[]')`

// unreached has the names of those who did not hear of the news n: they have no address, or their mail was
// refused.
const unreached = `
	coalesce((
		SELECT json_agg(u.label ORDER BY u.label COLLATE "und-x-icu")
		FROM (
			SELECT coalesce(p.label, n.label) AS label
			FROM unnest(n.unreached) AS id LEFT JOIN volunteers AS p USING (id)
			UNION ALL
			SELECT p.label
			FROM told AS t JOIN mail_log AS m ON m.id = t.mail_id JOIN volunteers AS p ON p.id = t.volunteer_id
			WHERE t.news_id = n.id AND NOT t.coordinates
			  AND m.outcome IN ('` + outcomeRefused + `', '` + outcomeNotSetUp + `')) AS u
		WHERE u.label <> ''), '[]')`

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
	doer, unaware := caller(ctx), people
	if n.Kind == newsDeclined || n.Kind == newsAway {
		unaware = nil // they have said so themselves, to somebody
	}
	var id int64
	err := tx.QueryRow(ctx, `
		INSERT INTO news
			(once, kind, service_ref, title, starts_at, was, people, role_id, volunteer_id, user_id, at, unreached)
		VALUES ($2, $3, $4, $5, $6, $7, $8, nullif($9, '')::uuid, nullif($10, '')::uuid, $11, $12, ARRAY(
			SELECT id FROM volunteers AS v WHERE id = ANY($13::uuid[]) AND email = '' AND (`+doer.is+`) IS NOT TRUE))
		ON CONFLICT (once) DO UPDATE SET once = excluded.once
		RETURNING id`, doer.id, n.Kind+"/"+n.once, n.Kind, n.ServiceID, n.Title, n.Start, n.Was, n.People, d.RoleID,
		d.VolunteerID, d.UserID, m.clock(), unaware).Scan(&id)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `
		INSERT INTO told (news_id, volunteer_id, coordinates)
		SELECT $2, id, NOT id = ANY($3::uuid[])
		FROM volunteers AS v
		WHERE (id = ANY($3::uuid[]) OR digest) AND email <> '' AND (`+doer.is+`) IS NOT TRUE
		ON CONFLICT DO NOTHING`, doer.id, id, people)
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
func (m *rota) withNews(ctx context.Context, tx *sdk.Tx, told *update) error {
	if err := m.queueNews(ctx, tx); err != nil {
		return err
	}
	told.mails = true
	return told.showNews(ctx, tx)
}

// showNews adds what is unseen to an update, also if that is nothing any more.
func (u *update) showNews(ctx context.Context, tx *sdk.Tx) error {
	return tx.QueryRow(ctx, `SELECT `+unseenJSON).Scan(&u.News)
}
