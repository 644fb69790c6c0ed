package main

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// The outcome of a mail, as the board names it.
const (
	outcomeSent     = "sent"
	outcomeNotSetUp = "notSetUp" // the installation has no mail server
	outcomeRefused  = "refused"  // the address, or the message
	outcomeDeferred = "deferred" // the mail server has not accepted it yet: send it again later
	outcomeTryAgain = "tryAgain"
)

// claimLasts is the time after which a claimed mail without an outcome counts as not sent.
const claimLasts = 2 * time.Minute

// logDays is how long the outcome of a mail is kept.
const logDays = 90

// News are tried again by themselves, so often and for so long, because no coordinator sees that they are
// missing.
const (
	retryAfter = 10 * time.Minute
	retryFor   = 24 * time.Hour
)

// queued is a mail that this process has claimed.
type queued struct {
	id          int64
	kind        string
	volunteerID *string
}

// deliver sends waiting mails, one after the other, until there are none or the platform refuses more. Then
// the schedule wakes the outbox.
func (m *rota) deliver(ctx context.Context) (again time.Duration) {
	for ctx.Err() == nil {
		mail, err := m.claimMail(ctx)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			m.host.Log.Warn("waiting mails could not be read")
		}
		if err != nil || !m.deliverOne(ctx, mail) {
			break
		}
	}
	return 0
}

// claimMail claims the oldest mail that no process has claimed. The claim is stored before the attempt, so a
// process that dies between the two loses the mail instead of sending it twice. Two requests for one date
// would confuse people. A lost one is shown to the coordinator, who can send it again. News are sent again
// (retryNews).
func (m *rota) claimMail(ctx context.Context) (q queued, err error) {
	err = m.db.QueryRow(ctx, `
		UPDATE mail_log
		SET claimed_at = now()
		WHERE id = (
			SELECT id FROM mail_log
			WHERE outcome IS NULL AND claimed_at IS NULL
			ORDER BY id LIMIT 1
			FOR UPDATE SKIP LOCKED)
		RETURNING id, kind, volunteer_id::text`).Scan(&q.id, &q.kind, &q.volunteerID)
	return q, err
}

// deliverOne reports whether the next mail may be tried. If it fails before the attempt, it releases the
// claim, because nothing was sent.
func (m *rota) deliverOne(ctx context.Context, q queued) bool {
	err := m.followZone(ctx)
	var message *sdk.Message
	if err == nil {
		message, err = m.compose(ctx, q)
	}
	if errors.Is(err, errNobody) {
		return m.settle(ctx, `DELETE FROM mail_log WHERE id = $1`, q) == nil
	}
	if err != nil {
		m.host.Log.Warn("a mail could not be written, it waits")
		m.releaseClaim(ctx, q)
		return false
	}
	outcome, err := m.attempt(ctx, *message)
	if errors.Is(err, sdk.ErrTooManyMails) {
		m.releaseClaim(ctx, q)
		return false
	}
	return m.finish(ctx, q, outcome) == nil
}

// attempt makes one attempt. An error means that no attempt was made.
func (m *rota) attempt(ctx context.Context, message sdk.Message) (outcome string, err error) {
	result, err := m.host.Mail.Send(ctx, message)
	switch {
	case errors.Is(err, sdk.ErrTooManyMails):
		return "", err
	case err != nil:
		return outcomeTryAgain, nil
	}
	switch result {
	case sdk.MailSent:
		return outcomeSent, nil
	case sdk.MailNotConfigured:
		return outcomeNotSetUp, nil
	case sdk.MailRejected, sdk.MailMessageInvalid:
		return outcomeRefused, nil
	case sdk.MailDeferred:
		return outcomeDeferred, nil
	default:
		return outcomeTryAgain, nil
	}
}

// releaseClaim releases the claim, so that a later run tries the mail again.
func (m *rota) releaseClaim(ctx context.Context, q queued) {
	_ = m.settle(ctx, `UPDATE mail_log SET claimed_at = NULL WHERE id = $1 AND outcome IS NULL`, q)
}

// settle writes the end of a claim, even while the module stops.
func (m *rota) settle(ctx context.Context, statement string, q queued) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	_, err := m.db.Exec(ctx, statement, q.id)
	return err
}

// finish stores the outcome of a mail and publishes it on the board.
func (m *rota) finish(ctx context.Context, q queued, outcome string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	err := m.change(ctx, func(tx *sdk.Tx) (update, error) {
		if _, err := tx.Exec(ctx, `UPDATE mail_log SET outcome = $2, at = now() WHERE id = $1`,
			q.id, outcome); err != nil {
			return update{}, err
		}
		if outcome != outcomeTryAgain && outcome != outcomeDeferred {
			if _, err := tx.Exec(ctx, forgetAddresses+`t.mail_id = $1`, q.id); err != nil {
				return update{}, err
			}
		}
		told, err := aboutMails(ctx, tx, []int64{q.id})
		if err == nil && q.kind == kindNews && outcome != outcomeSent {
			err = told.showNews(ctx, tx)
		}
		return told, err
	})
	if err != nil {
		m.host.Log.Warn("the outcome of a mail was not kept")
	}
	return err
}

// forgetAddresses deletes the addresses of removed volunteers whose mail needs them no more.
const forgetAddresses = `
	UPDATE told AS t SET label = '', email = '', language = '' WHERE t.email <> '' AND `

// retryNews queues news again that were not sent, and those whose process died before it knew whether they
// were. Such a mail may reach a person twice if the process died just after the mail server had accepted it.
// That is better than never to hear of a change.
func (m *rota) retryNews(ctx context.Context) error {
	since := m.clock().Add(-retryFor)
	_, err := m.db.Exec(ctx, `
		UPDATE mail_log SET claimed_at = NULL, outcome = NULL, at = NULL
		WHERE kind = $1 AND queued_at > $2 AND (
			outcome IN ($3, $4) AND at < now() - $5 * interval '1 second'
			OR outcome IS NULL AND claimed_at < now() - $6 * interval '1 second')`,
		kindNews, since, outcomeTryAgain, outcomeDeferred, int64(retryAfter.Seconds()), int64(claimLasts.Seconds()))
	if err != nil {
		return err
	}
	_, err = m.db.Exec(ctx, forgetAddresses+`EXISTS (
		SELECT FROM mail_log AS m WHERE m.id = t.mail_id AND m.queued_at <= $1)`, since)
	return err
}

// aboutMails returns the update of everything that shows these mails.
func aboutMails(ctx context.Context, tx *sdk.Tx, ids []int64) (told update, err error) {
	if told.Assignments, err = assignments(ctx, tx, `mail_id = ANY($1)`, ids); err != nil {
		return told, err
	}
	invited, err := sdk.Select[string](ctx, tx, `SELECT id::text FROM volunteers WHERE mail_id = ANY($1)`, ids)
	if err != nil || len(invited) == 0 {
		return told, err
	}
	told.Volunteers, err = volunteers(ctx, tx, invited)
	return told, err
}

// resume runs by the schedule. It queues lost news again and marks other claims without an outcome as not
// sent, queues the news that waited, deletes old rows and wakes the outbox.
func (m *rota) resume(ctx context.Context) error {
	if err := m.retryNews(ctx); err != nil {
		return err
	}
	err := m.change(ctx, func(tx *sdk.Tx) (update, error) {
		lost, err := sdk.Select[int64](ctx, tx, `
			UPDATE mail_log SET outcome = $2, at = now()
			WHERE outcome IS NULL AND claimed_at < now() - $1 * interval '1 second'
			RETURNING id`, int64(claimLasts.Seconds()), outcomeTryAgain)
		if err != nil {
			return update{}, err
		}
		if len(lost) == 0 {
			return update{}, sdk.ErrUnchanged
		}
		return aboutMails(ctx, tx, lost)
	})
	if err != nil {
		return err
	}
	if err := m.gathered(ctx); err != nil {
		return err
	}
	_, err = m.db.Exec(ctx, `DELETE FROM mail_log WHERE at < now() - $1 * interval '1 day'`, logDays)
	if err == nil {
		err = m.rest(ctx)
	}
	m.outbox.Wake()
	return err
}

// rest tells that there is nothing to do when no mail waits: to be sent, for its outcome, for the hour after
// which news are sent, or to be tried again.
func (m *rota) rest(ctx context.Context) error {
	var waits bool
	err := m.db.QueryRow(ctx, `
		SELECT EXISTS (SELECT FROM told WHERE mail_id IS NULL)
			OR EXISTS (SELECT FROM mail_log WHERE outcome IS NULL)
			OR EXISTS (SELECT FROM mail_log WHERE kind = $1 AND queued_at > $2 AND outcome IN ($3, $4))`,
		kindNews, m.clock().Add(-retryFor), outcomeTryAgain, outcomeDeferred).Scan(&waits)
	if err == nil && !waits {
		sdk.NothingFor(ctx, restMost)
	}
	return err
}
