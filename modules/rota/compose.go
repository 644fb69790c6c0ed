package main

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"net/mail"
	"slices"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// errNobody means that a mail is no longer needed: its dates are gone, or the volunteer has said no.
var errNobody = errors.New("nobody is to get it")

// recipient is the data of a volunteer that a mail needs.
type recipient struct {
	id, label, email, language string
	link                       int64
	userID                     string // "": they are not connected with a person
}

func (m *rota) recipient(ctx context.Context, id *string) (*recipient, error) {
	if id == nil {
		return nil, errNobody
	}
	v := &recipient{id: *id}
	err := m.db.QueryRow(ctx, `
		SELECT label, email, language, link, coalesce(user_id, '') FROM volunteers WHERE id = $1`,
		*id).Scan(&v.label, &v.email, &v.language, &v.link, &v.userID)
	if errors.Is(err, sql.ErrNoRows) || err == nil && v.email == "" {
		return nil, errNobody
	}
	v.language = cmp.Or(v.language, m.host.Config.String("mailLanguage"))
	return v, err
}

// compose writes a claimed mail from the current data.
func (m *rota) compose(ctx context.Context, q queued) (*sdk.Message, error) {
	if q.kind == kindDigest {
		return m.composeDigest(ctx)
	}
	if q.kind == kindNews {
		return m.composeNews(ctx, q)
	}
	to, err := m.recipient(ctx, q.volunteerID)
	if err != nil {
		return nil, err
	}
	words := wordsOf(to.language)
	var c content
	var dates []date
	if q.kind == kindInvitation {
		if to.userID != "" {
			return nil, errNobody
		}
		c = words.invitation()
	} else {
		of := `mail_id = $1`
		if q.kind == kindSubstitute {
			of = `id IN (SELECT assignment_id FROM substitutes WHERE mail_id = $1) AND a.seeking`
		}
		if dates, err = m.datesOf(ctx, of, q.id, words); err != nil {
			return nil, err
		}
		switch q.kind {
		case kindReminder:
			c = words.reminder(dates)
		case kindSubstitute:
			c = words.substitute(dates)
		default:
			c = words.request(dates)
		}
	}
	var last time.Time
	if len(dates) > 0 {
		last = dates[len(dates)-1].when
	}
	if err := m.addLink(ctx, &c, to, last, words); err != nil {
		return nil, err
	}
	c.greeting = words.greeting(to.label)
	message := m.message([]mail.Address{{Address: to.email}}, to.language, c)
	return &message, nil
}

// addLink adds where the reader answers, or sees what is left to answer: a page for which nobody needs an
// account. last is the last date that it is about; zero for an invitation, which leads to an account. So does
// every mail while the module has as many links as it may.
func (m *rota) addLink(
	ctx context.Context, c *content, to *recipient, last time.Time, words *words,
) (err error) {
	if !last.IsZero() {
		if c.link, err = m.answerLink(ctx, to, last); !isFull(err) {
			c.note = words.LinkNote
			return err
		}
	}
	if c.link = m.pageLink("mine"); to.userID == "" {
		c.link, err = m.claimLink(ctx, to)
		c.note = words.ConnectNote
	}
	return err
}

// date is a line of a mail.
type date struct {
	when     time.Time
	line     string
	unsettle bool // no response yet
}

// datesOf returns the dates of a mail that are still to come. of is the condition of their assignments.
func (m *rota) datesOf(ctx context.Context, of string, mailID int64, words *words) ([]date, error) {
	about, err := assignments(ctx, m.db, of+` AND a.status IN ('open', 'yes')`, mailID)
	if err != nil {
		return nil, err
	}
	now := m.clock()
	services, err := m.services(ctx, now, now.AddDate(1, 0, 0))
	if err != nil {
		return nil, err
	}
	ofRoles, err := roles(ctx, m.db)
	if err != nil {
		return nil, err
	}
	names := make(map[string]string)
	for _, r := range ofRoles {
		names[r.ID] = r.Name
	}
	known := byID(services)
	var dates []date
	for _, a := range about {
		if s, there := known[a.ServiceID]; there {
			line := words.moment(s.Start.In(m.zone())) + ": " + names[a.RoleID] + " (" + plain(s.Title) + ")"
			dates = append(dates, date{s.Start, line, a.Status == statusOpen})
		}
	}
	if len(dates) == 0 {
		return nil, errNobody
	}
	slices.SortFunc(dates, func(a, b date) int { return a.when.Compare(b.when) })
	return dates, nil
}

// composeDigest writes the overview of the coming week for coordinators. It is one mail to all of them.
func (m *rota) composeDigest(ctx context.Context) (*sdk.Message, error) {
	addresses, err := sdk.Select[string](ctx, m.db, `
		SELECT email FROM volunteers WHERE digest AND email <> '' ORDER BY id LIMIT $1`, maxDigest)
	if err != nil {
		return nil, err
	}
	if len(addresses) == 0 {
		return nil, errNobody
	}
	to := make([]mail.Address, len(addresses))
	for n, address := range addresses {
		to[n] = mail.Address{Address: address}
	}
	language := m.host.Config.String("mailLanguage")
	services, err := m.week(ctx, wordsOf(language))
	if err != nil {
		return nil, err
	}
	l := wordsOf(language).digest(services)
	l.link = m.pageLink("board")
	message := m.message(to, language, l)
	return &message, nil
}

// week returns the services of the next seven days with their assignments.
func (m *rota) week(ctx context.Context, words *words) (listed []listing, err error) {
	now := m.clock()
	services, err := m.services(ctx, now, m.dayOf(now).AddDate(0, 0, 7))
	if err != nil {
		return nil, err
	}
	ofRoles, err := roles(ctx, m.db)
	if err != nil {
		return nil, err
	}
	everybody, err := volunteers(ctx, m.db, nil)
	if err != nil {
		return nil, err
	}
	labels := make(map[string]string, len(everybody))
	for _, v := range everybody {
		labels[v.ID] = v.Label
	}
	for _, s := range services {
		assigned, err := assignments(ctx, m.db, `service_ref = $1`, s.ID)
		if err != nil {
			return nil, err
		}
		of := listing{heading: words.moment(s.Start.In(m.zone())) + ": " + plain(s.Title)}
		for _, r := range ofRoles {
			of.lines = append(of.lines, words.staffing(r, assigned, labels))
		}
		listed = append(listed, of)
	}
	return listed, nil
}
