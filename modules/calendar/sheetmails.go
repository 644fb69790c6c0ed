package main

import (
	"context"
	"database/sql"
	"errors"
	"net/mail"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// What somebody hears by mail: that they have signed up, or have moved up.
const (
	mailNew = "new"
	mailUp  = "up"
)

// How a mail went, as the organiser's list has it.
const (
	heardSent     = "sent"
	heardNotSetUp = "notSetUp" // the installation has no mail server
	heardRefused  = "refused"  // the address, or the mail server for hours
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

// outbox is a goroutine that sends the mails that wait in the database, whenever wake is called, and when the
// next one is due.
type outbox struct {
	woken chan struct{}
	end   context.CancelFunc
	ended chan struct{}
}

func openOutbox(deliver func(ctx context.Context) (next time.Duration)) *outbox {
	ctx, end := context.WithCancel(context.Background())
	o := &outbox{woken: make(chan struct{}, 1), end: end, ended: make(chan struct{})}
	go func() {
		defer close(o.ended)
		var due <-chan time.Time // nil: nothing waits
		for {
			select {
			case <-ctx.Done():
				return
			case <-o.woken:
			case <-due:
			}
			due = nil
			if next := deliver(ctx); next > 0 {
				due = time.After(next)
			}
		}
	}()
	return o
}

// wake makes the outbox look for mails. It does not block.
func (o *outbox) wake() {
	select {
	case o.woken <- struct{}{}:
	default: // it is already woken
	}
}

// close stops the outbox and waits for the mail that is being sent.
func (o *outbox) close(ctx context.Context) error {
	o.end()
	select {
	case <-o.ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// waitingMail is a mail that this process has claimed.
type waitingMail struct {
	ID, Event, Email, Language, Kind string
	Waits                            bool
	Tries                            int64
}

// deliver sends what waits, one after the other, until nothing is due or the platform takes no more. It
// returns after how long it wants to be called again; 0: not by itself.
func (c *calendar) deliver(ctx context.Context) (next time.Duration) {
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
		UPDATE participants
		SET mail_at = now() + $1 * interval '1 second' * power(2, mail_tries), mail_tries = mail_tries + 1
		WHERE id = (
			SELECT id FROM participants
			WHERE mail <> '' AND mail_at <= now()
			ORDER BY mail_at LIMIT 1
			FOR UPDATE SKIP LOCKED)
		RETURNING id::text, event_id::text, email, language, mail, waits, mail_tries`,
		int64(firstAgain.Seconds())).
		Scan(&m.ID, &m.Event, &m.Email, &m.Language, &m.Kind, &m.Waits, &m.Tries)
	return m, err
}

// sendOne writes a mail and sends it. outcome is "" for one that is tried again later; busy: the platform
// takes no more this minute.
func (c *calendar) sendOne(ctx context.Context, m *waitingMail) (outcome string, busy bool) {
	message, err := c.compose(ctx, m)
	if err != nil {
		if !errors.Is(err, errNoEvent) { // deleted: nobody needs the mail, unless it comes back
			c.host.Log.Warn("a mail could not be written, it waits")
		}
		return "", false
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

// settle writes how a mail went, even while the module stops. Who has moved up meanwhile still hears of that.
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
		UPDATE participants SET mail = '', heard = $3
		WHERE id = $1::uuid AND mail = $2 AND mail_tries = $4`, m.ID, m.Kind, outcome, m.Tries)
	if err != nil {
		c.host.Log.Warn("the outcome of a mail was not kept")
		return false
	}
	if n > 0 && c.host.Realtime.Publish(sheetsChannel, changedSheet{m.Event}) != nil {
		c.host.Log.Warn("a change was not published", "channel", sheetsChannel)
	}
	return true
}

// compose writes a mail. It has nothing that a guest typed, because anybody can type any address.
func (c *calendar) compose(ctx context.Context, m *waitingMail) (*sdk.Message, error) {
	if err := c.followZone(ctx); err != nil {
		return nil, err
	}
	e, err := readEvent(ctx, c.db, m.Event, "")
	if err != nil {
		return nil, err
	}
	house, err := c.host.House(ctx)
	if err != nil {
		return nil, err
	}
	address, err := c.ownLink(ctx, m.Event, m.ID)
	if err != nil {
		return nil, err
	}
	words := mailWordsOf(m.Language)
	about := words.Placed
	switch {
	case m.Waits:
		about = words.Waits
	case m.Kind == mailUp:
		about = words.Up
	}
	title := headerLine(e.title)
	text := about.Text + "\n\n" + title + "\n" + words.when(e, c.zone()) + "\n\n" + words.See + ":\n" + address +
		"\n\n" + words.Note + "\n\n-- \n" + headerLine(house.Name) + "\n"
	return &sdk.Message{To: []mail.Address{{Address: m.Email}}, Subject: about.Subject + ": " + title,
		Text: text}, nil
}
