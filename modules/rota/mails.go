package main

import (
	"context"
	"errors"
	"net/http"
	"net/mail"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// The kinds of mails.
const (
	kindInvitation = "invitation"
	kindRequest    = "request"
	kindReminder   = "reminder"
	kindDigest     = "digest"
	kindTest       = "test"
	kindNews       = "news"
	kindSubstitute = "substitute"
)

// maxMails is how many ids one request may contain.
const maxMails = 100

// order describes the mails that a coordinator requests: invitations of volunteers, or requests for
// assignments.
type order struct {
	Kind string   `json:"kind"`
	IDs  []string `json:"ids"`
}

// queueMails stores mails for the outbox, because sending takes longer than a request may. A volunteer gets
// one mail about all dates of one request.
func (m *rota) queueMails(ctx context.Context, r *http.Request) (any, error) {
	wanted, err := sdk.Decode[order](r)
	if err != nil {
		return nil, err
	}
	if len(wanted.IDs) == 0 || len(wanted.IDs) > maxMails ||
		wanted.Kind != kindInvitation && wanted.Kind != kindRequest {
		return nil, sdk.ErrRequestInvalid
	}
	for _, id := range wanted.IDs {
		if !sdk.IsID(id) {
			return nil, sdk.ErrRequestInvalid
		}
	}
	var mails []int64
	err = m.change(ctx, func(tx *sdk.Tx) (told update, err error) {
		if wanted.Kind == kindInvitation {
			mails, err = queueInvitations(ctx, tx, wanted.IDs)
		} else {
			mails, err = queueRequests(ctx, tx, wanted.IDs)
		}
		if err != nil {
			return told, err
		}
		return aboutMails(ctx, tx, mails)
	})
	if err != nil {
		return nil, err
	}
	m.outbox.Wake()
	return sdk.Response{Status: http.StatusAccepted, Body: map[string]int{"mails": len(mails)}}, nil
}

// queueInvitations stores invitations for volunteers who have an address and are not connected with a person
// yet.
func queueInvitations(ctx context.Context, tx *sdk.Tx, ids []string) (mails []int64, err error) {
	for _, id := range ids {
		var email string
		var connected bool
		err := tx.QueryRow(ctx, `SELECT email, user_id IS NOT NULL FROM volunteers WHERE id = $1 FOR UPDATE`,
			id).Scan(&email, &connected)
		switch {
		case err != nil:
			return nil, sdk.OrNoRow(err, errGone)
		case connected:
			return nil, errConflict
		case email == "":
			return nil, errNoAddress
		}
		written, err := queue(ctx, tx, kindInvitation, id)
		if err != nil {
			return nil, err
		}
		if _, err := tx.Exec(ctx, `UPDATE volunteers SET mail_id = $2 WHERE id = $1`, id, written); err != nil {
			return nil, err
		}
		mails = append(mails, written)
	}
	return mails, nil
}

// queueRequests stores a request for each volunteer who got none or has not responded, and a reminder for
// those who have said yes.
func queueRequests(ctx context.Context, tx *sdk.Tx, ids []string) (mails []int64, err error) {
	type mailKey struct{ volunteer, kind string }
	of := make(map[mailKey]int64)
	for _, id := range ids {
		var key mailKey
		var status, email string
		err := tx.QueryRow(ctx, `
			SELECT a.status, v.id::text, v.email
			FROM assignments AS a JOIN volunteers AS v ON v.id = a.volunteer_id
			WHERE a.id = $1
			FOR UPDATE OF a`, id).Scan(&status, &key.volunteer, &email)
		switch {
		case err != nil:
			return nil, sdk.OrNoRow(err, errGone)
		case status == statusNo:
			return nil, errConflict
		case email == "":
			return nil, errNoAddress
		}
		key.kind = kindRequest
		if status == statusYes {
			key.kind = kindReminder
		}
		if of[key] == 0 {
			if of[key], err = queue(ctx, tx, key.kind, key.volunteer); err != nil {
				return nil, err
			}
			mails = append(mails, of[key])
		}
		_, err = tx.Exec(ctx, `
			UPDATE assignments
			SET mail_id = $2, asked_at = now(), rev = rev + CASE status WHEN 'planned' THEN 1 ELSE 0 END,
			    status = CASE status WHEN 'planned' THEN 'open' ELSE status END
			WHERE id = $1`, id, of[key])
		if err != nil {
			return nil, err
		}
	}
	return mails, nil
}

func queue(ctx context.Context, tx *sdk.Tx, kind, volunteerID string) (id int64, err error) {
	err = tx.QueryRow(ctx, `INSERT INTO mail_log (kind, volunteer_id) VALUES ($1, $2) RETURNING id`,
		kind, volunteerID).Scan(&id)
	return id, err
}

// sendTest sends a mail to the caller: to their address as a volunteer, or to the address for replies. It
// accepts no address, so that nobody can send the house's mails to any address.
func (m *rota) sendTest(ctx context.Context, r *http.Request) (any, error) {
	if _, err := sdk.Decode[struct{}](r); err != nil {
		return nil, err
	}
	to := recipient{language: m.host.Config.String("mailLanguage")}
	own, err := volunteerOf(ctx, m.db, sdk.Principal(ctx).UserID)
	switch {
	case err == nil && own.Email != "":
		to.email = own.Email
	case err != nil && !errors.Is(err, errNoVolunteer):
		return nil, err
	case m.replyTo == nil:
		return nil, errNoAddress
	default:
		to.email = m.replyTo.Address
	}
	l := wordsOf(to.language).test()
	l.link = m.pageLink("")
	outcome, err := m.attempt(ctx, m.message([]mail.Address{{Address: to.email}}, to.language, l))
	if err != nil {
		return nil, err
	}
	// The attempt may have used up the request's time, so this has its own.
	kept, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_, err = m.db.Exec(kept, `
		INSERT INTO mail_log (kind, claimed_at, outcome, at) VALUES ($1, now(), $2, now())`, kindTest, outcome)
	return map[string]string{"outcome": outcome, "to": to.email}, err
}
