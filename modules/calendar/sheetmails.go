package main

import (
	"context"
	"database/sql"
	"errors"
	"net/mail"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// What somebody hears by mail: that they have signed up, have moved up, or that the event has changed.
const (
	mailNew     = "new"
	mailUp      = "up"
	mailChanged = "changed"
)

// How a mail went, as the organiser's list has it.
const (
	heardSent     = "sent"
	heardNotSetUp = "notSetUp" // the installation has no mail server
	heardRefused  = "refused"  // the address, or the mail server for hours

	needless = "needless" // no mail, because there is nothing to hear any more; not stored
)

// A mail that did not leave is tried again after five minutes, then after twice the time, for half a day. So
// is one whose process has died, of which it is not known whether it left: rather twice than never. The
// schedule is for those alone, and so seldom that a house that nobody uses can sleep.
const (
	firstAgain   = 5 * time.Minute
	maxTries     = 8
	whenBusy     = time.Minute // the platform or the database takes no more for now
	deliverEvery = 30 * time.Minute
)

// waitingMail is a mail that this process has claimed.
type waitingMail struct {
	ID, Sheet, Email, Language, Kind string
	Event                            string // whose sheet it is
	Waits                            bool
	Tries                            int64
	Told, State                      string // what they know of the event, and how it is
}

// deliver sends what waits, one after the other, until nothing is due or the platform takes no more. It
// returns after how long it wants to be called again; 0: not by itself.
func (c *calendar) deliver(ctx context.Context) (next time.Duration) {
	c.lookForSignedUp(ctx)
	for ctx.Err() == nil {
		m, err := c.claimMail(ctx)
		if errors.Is(err, sql.ErrNoRows) {
			return c.nextMail(ctx)
		}
		if err != nil {
			if ctx.Err() == nil {
				c.host.Log.Warn("waiting mails could not be read")
			}
			return whenBusy
		}
		outcome, busy := c.sendOne(ctx, &m)
		if busy || !c.settle(ctx, &m, outcome) {
			return whenBusy
		}
	}
	return 0
}

// nextMail returns when the next mail is due that is tried again; 0: none waits.
func (c *calendar) nextMail(ctx context.Context) time.Duration {
	var seconds int64
	err := c.db.QueryRow(ctx, `
		SELECT (CASE count(*)
			WHEN 0 THEN 0
			ELSE greatest(1, ceil(extract(epoch FROM min(mail_at) - now()))) END)::bigint
		FROM participants
		WHERE mail <> ''`).Scan(&seconds)
	if err != nil {
		return whenBusy
	}
	return time.Duration(seconds) * time.Second
}

// claimMail takes the mail that waits longest, and lets it wait for its next try.
func (c *calendar) claimMail(ctx context.Context) (m waitingMail, err error) {
	err = c.db.QueryRow(ctx, `
		UPDATE participants p
		SET mail_at = now() + $1 * interval '1 second' * power(2, mail_tries), mail_tries = mail_tries + 1
		FROM `+onDates+`
		WHERE d.sheet = p.sheet_id AND p.id = (
			SELECT id FROM participants
			WHERE mail <> '' AND mail_at <= now()
			ORDER BY mail_at LIMIT 1
			FOR UPDATE SKIP LOCKED)
		RETURNING p.id::text, d.sheet::text, d.event::text, email, language, mail, waits, mail_tries, told,
			`+stateOf,
		int64(firstAgain.Seconds())).
		Scan(&m.ID, &m.Sheet, &m.Event, &m.Email, &m.Language, &m.Kind, &m.Waits, &m.Tries, &m.Told, &m.State)
	return m, err
}

// sendOne writes a mail and sends it. outcome is "" for one that is tried again later; busy: the platform
// takes no more this minute.
func (c *calendar) sendOne(ctx context.Context, m *waitingMail) (outcome string, busy bool) {
	message, err := c.compose(ctx, m)
	if err != nil {
		if !errors.Is(err, errNoEvent) { // cancelled since it was claimed: the next try says so
			c.host.Log.Warn("a mail could not be written, it waits")
		}
		return "", false
	}
	if message == nil {
		return needless, false
	}
	result, err := c.host.Mail.Send(ctx, *message)
	switch {
	case errors.Is(err, sdk.ErrTooManyMails):
		c.release(ctx, m)
		return "", true
	case err != nil:
		return "", false
	}
	switch result {
	case sdk.MailSent:
		return heardSent, false
	case sdk.MailNotConfigured:
		return heardNotSetUp, false
	case sdk.MailRejected, sdk.MailMessageInvalid:
		return heardRefused, false
	}
	return "", false
}

// release lets a mail that was not tried wait as before.
func (c *calendar) release(ctx context.Context, m *waitingMail) {
	_, _ = c.db.Exec(ctx, `
		UPDATE participants SET mail_at = now(), mail_tries = mail_tries - 1
		WHERE id = $1::uuid AND mail = $2 AND mail_tries = $3`, m.ID, m.Kind, m.Tries)
}

// settle writes how a mail went, even while the module stops. Who has moved up meanwhile still hears of that,
// and so does everybody whose event has changed meanwhile.
func (c *calendar) settle(ctx context.Context, m *waitingMail, outcome string) bool {
	if outcome == "" && m.Tries < maxTries {
		return true
	}
	if outcome == "" {
		outcome = heardRefused
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	n, err := c.db.Exec(ctx, `
		UPDATE participants p
		SET heard = CASE $3 WHEN '`+needless+`' THEN heard ELSE $3 END, told = $5,
		    mail = CASE WHEN $5 = `+stateOf+` THEN '' ELSE 'changed' END, mail_at = now(), mail_tries = 0
		FROM `+onDates+`
		WHERE d.sheet = p.sheet_id AND p.id = $1::uuid AND mail = $2 AND mail_tries = $4`,
		m.ID, m.Kind, outcome, m.Tries, m.State)
	if err != nil {
		c.host.Log.Warn("the outcome of a mail was not kept")
		return false
	}
	if n > 0 && c.host.Realtime.Publish(sheetsChannel, changedSheet{m.Event}) != nil {
		c.host.Log.Warn("a change was not published", "channel", sheetsChannel)
	}
	return true
}

// compose writes a mail, or returns nil if there is nothing to hear any more. It has nothing that a guest
// typed, because anybody can type any address.
func (c *calendar) compose(ctx context.Context, m *waitingMail) (*sdk.Message, error) {
	if err := c.followZone(ctx); err != nil {
		return nil, err
	}
	off := m.State == toldOff // also who has not heard yet of their sign-up has to know
	e, err := occasion(ctx, c.db, m.Sheet)
	if err == nil && e.off != off {
		err = errNoEvent
	}
	if err != nil {
		return nil, err
	}
	words, before := mailWordsOf(m.Language), ""
	about := words.Placed
	switch {
	case off, m.Kind == mailChanged:
		is := false
		if about, before, is = c.newsFor(m, e, words); !is {
			return nil, nil
		}
	case m.Waits:
		about = words.Waits
	case m.Kind == mailUp:
		about = words.Up
	}
	title, when, address := headerLine(e.title), words.when(e, c.zone()), ""
	if before != "" {
		when += "\n" + words.Before + ": " + before
	}
	if !off { // there is nothing to withdraw from
		if address, err = c.ownLink(ctx, e, m.ID); err != nil {
			return nil, err
		}
	}
	text := words.text(about, title, when, address)
	return &sdk.Message{To: []mail.Address{{Address: m.Email}}, Subject: about.Subject + ": " + title,
		Text: text, Language: m.Language}, nil
}
