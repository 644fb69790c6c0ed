package main

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// The subjects of links: the sheet of an event or of a date of one, and one sign-up. An event that happens
// once has mostly a sheet with its own id.
const (
	eventPrefix  = "event:"
	signUpPrefix = "signup:"
)

func sheetSubject(id string) string  { return eventPrefix + id }
func signUpSubject(id string) string { return signUpPrefix + id }

// shownSignUp is what people see who sign up, or who have.
type shownSignUp struct {
	Event     shownDates `json:"event"`
	Places    int64      `json:"places"` // 0: as many as come
	Free      int64      `json:"free"`
	Queue     bool       `json:"queue"`
	Waiting   int64      `json:"waiting"`
	Closes    time.Time  `json:"closes"`
	Open      bool       `json:"open"`  // it has not closed
	Begun     bool       `json:"begun"` // nobody withdraws any more
	Questions []question `json:"questions"`
	Own       *ownSignUp `json:"own"`
}

// shownDates is an event as guests see it. They see no rooms and nothing else of the calendar.
type shownDates struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	Text   string `json:"text"`
	Start  string `json:"start"`
	End    string `json:"end"`
	AllDay bool   `json:"allDay"`
	Series bool   `json:"series"` // this is one date of it
}

// ownSignUp is what somebody has sent.
type ownSignUp struct {
	participant
	Turn int64 `json:"turn"` // which one of those who wait; 0: none
}

// shownSheet reads what somebody sees of a sheet. where and by name their own sign-up, as for withdraw.
func (c *calendar) shownSheet(ctx context.Context, find finding, where, by string) (*shownSignUp, error) {
	s, err := find(ctx, c.db, "")
	if err != nil {
		return nil, err
	}
	e, err := c.current(ctx, s.of)
	if err == nil && e.off {
		err = errNoEvent
	}
	if err != nil {
		return nil, err
	}
	there, err := count(ctx, c.db, s.id)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	shown := &shownSignUp{
		Event:  shownDates{ID: e.id, Title: e.title, Text: e.text, AllDay: e.allDay, Series: e.rule != ""},
		Places: s.Places, Free: max(0, s.Places-there.Placed), Queue: s.Queue, Waiting: there.Waiting,
		Closes: s.closing(e, c.zone()), Questions: s.Questions,
		Begun: !c.zone().instant(e.start).After(now)}
	shown.Event.Start, shown.Event.End = e.times.text(c.zone())
	shown.Open = shown.Closes.After(now)
	if where == "" {
		return shown, nil
	}
	own, err := sdk.SelectBy(ctx, c.db, func(row sdk.Scanner, o *ownSignUp) error {
		return scanParticipant(ahead{row, &o.Turn}, &o.participant)
	}, `
		SELECT `+participantColumns+`,
		       CASE WHEN waits THEN (
		           SELECT count(*) FROM participants w
		           WHERE w.sheet_id = p.sheet_id AND w.waits AND w.number <= p.number) ELSE 0 END
		FROM participants p
		WHERE sheet_id = $1::uuid AND `+where, s.id, by)
	if err == nil && len(own) > 0 {
		shown.Own = &own[0]
	}
	return shown, err
}

// ahead scans one column after the others.
type ahead struct {
	row  sdk.Scanner
	last any
}

// Scan reads one row.
func (b ahead) Scan(dst ...any) error { return b.row.Scan(append(dst, b.last)...) }

// linked is what the page of a link shows: what one can sign up for, or a sign-up.
func (c *calendar) linked(ctx context.Context, _ *http.Request) (any, error) {
	subject := sdk.Principal(ctx).Subject
	if id, is := strings.CutPrefix(subject, eventPrefix); is && sdk.IsID(id) {
		return c.shownSheet(ctx, sheetWith(id), "", "")
	}
	sheetID, id, err := c.linkedSignUp(ctx)
	if err != nil {
		return nil, err
	}
	return c.shownSheet(ctx, sheetWith(sheetID), `id = $2::uuid`, id)
}

// linkedSignUp returns the sign-up that the caller's link was made for, and its sheet.
func (c *calendar) linkedSignUp(ctx context.Context) (sheetID, id string, err error) {
	id, is := strings.CutPrefix(sdk.Principal(ctx).Subject, signUpPrefix)
	if !is || !sdk.IsID(id) {
		return "", "", errNotSigned
	}
	err = c.db.QueryRow(ctx, `SELECT sheet_id::text FROM participants WHERE id = $1::uuid`, id).Scan(&sheetID)
	return sheetID, id, sdk.OrNoRow(err, errNotSigned)
}

// signedUp answers somebody who has signed up. Address is where they see it, or withdraw.
type signedUp struct {
	Waits   bool   `json:"waits"`
	Address string `json:"address,omitempty"`
}

// signUpByLink signs a guest up. The mail has the same address: who has none set up here still gets it.
func (c *calendar) signUpByLink(ctx context.Context, r *http.Request) (any, error) {
	who, err := sdk.Decode[signed](r)
	if err != nil {
		return nil, err
	}
	sheetID, is := strings.CutPrefix(sdk.Principal(ctx).Subject, eventPrefix)
	if !is || !sdk.IsID(sheetID) {
		return nil, errNoEvent
	}
	id, waits, err := c.signUp(ctx, sheetWith(sheetID), "", who)
	if err != nil {
		return nil, err
	}
	// They are on the sheet now, whatever becomes of this.
	address := ""
	if e, err := occasion(ctx, c.db, sheetID); err == nil {
		address, _ = c.ownLink(ctx, e, id)
	}
	return sdk.Created(signedUp{waits, address}), nil
}

func (c *calendar) withdrawByLink(ctx context.Context, r *http.Request) (any, error) {
	if _, err := sdk.Decode[struct{}](r); err != nil {
		return nil, err
	}
	sheetID, id, err := c.linkedSignUp(ctx)
	if err != nil {
		return nil, err
	}
	return nil, c.withdraw(ctx, sheetWith(sheetID), `id = $2::uuid`, id, false)
}

// ownLink makes the link to one sign-up, which is that of the person who was signed in.
func (c *calendar) ownLink(ctx context.Context, e *event, id string) (string, error) {
	var userID string
	if err := c.db.QueryRow(ctx, `SELECT coalesce(user_id, '') FROM participants WHERE id = $1::uuid`,
		id).Scan(&userID); err != nil {
		return "", sdk.OrNoRow(err, errNotSigned)
	}
	return c.host.Links.CreateFor(ctx, userID, signUpSubject(id), c.linkEnds(e))
}

// linksFor is how long after its event a link works.
const linksFor = 30 * day

func (c *calendar) linkEnds(e *event) time.Time {
	_, _, until := e.ends(c.zone())
	return until.Add(linksFor)
}

// ownSheet, signUpOwn and withdrawOwn are the same for somebody who is signed in.
func (c *calendar) ownSheet(ctx context.Context, r *http.Request) (any, error) {
	of, err := targetOf(r)
	if err != nil {
		return nil, err
	}
	return c.shownSheet(ctx, of.readSheet, `user_id = $2`, sdk.Principal(ctx).UserID)
}

func (c *calendar) signUpOwn(ctx context.Context, r *http.Request) (any, error) {
	who, err := sdk.Decode[signed](r)
	if err != nil {
		return nil, err
	}
	of, err := targetOf(r)
	if err != nil {
		return nil, err
	}
	_, waits, err := c.signUp(ctx, of.readSheet, sdk.Principal(ctx).UserID, who)
	if err != nil {
		return nil, err
	}
	return sdk.Created(signedUp{Waits: waits}), nil
}

func (c *calendar) withdrawOwn(ctx context.Context, r *http.Request) (any, error) {
	of, err := targetOf(r)
	if err != nil {
		return nil, err
	}
	return nil, c.withdraw(ctx, of.readSheet, `user_id = $2`, sdk.Principal(ctx).UserID, false)
}
