package main

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// maxBoardBytes is how many bytes the weeks of a board may have as JSON.
const maxBoardBytes = 512 << 10

// head is the snapshot of the board's channel: which board is the newest one. Readers request the board
// itself only if theirs is another, because it has hundreds of kilobytes and every connection begins with a
// snapshot.
type head struct {
	ServerTime time.Time `json:"serverTime"`
	Rev        int64     `json:"rev"`
	Outside    string    `json:"outside"` // as that of the board
}

// board is everything that coordinators work with, from the beginning of the last month to a year from now.
type board struct {
	ServerTime    time.Time   `json:"serverTime"`
	Rev           int64       `json:"rev"`
	Outside       string      `json:"outside"` // another text when what the rev does not count is different
	RolesRev      int64       `json:"rolesRev"`
	Announcements bool        `json:"announcements"` // whether slides can be shown
	WeekStartsOn  string      `json:"weekStartsOn"`
	Unplanned     bool        `json:"unplanned"` // the module that plans services did not respond
	News          []newsItem  `json:"news"`      // that no coordinator has seen yet
	Roles         []role      `json:"roles"`
	Volunteers    []volunteer `json:"volunteers"`
	Weeks         []week      `json:"weeks"`
}

// week is a week that has services.
type week struct {
	Begins   string    `json:"begins"` // a day, "2026-12-07"
	Services []planned `json:"services"`
}

// planned is a service with its assignments.
type planned struct {
	service
	Needs       []need       `json:"needs"` // where it needs another number of people than usual
	Assignments []assignment `json:"assignments"`
}

// update is one change of the board. Its rev is one higher than that of the previous change. A reader that
// misses a change, or gets an update with only a rev, requests the board again.
type update struct {
	Rev         int64        `json:"rev"`
	Assignments []assignment `json:"assignments,omitempty"`
	Removed     []string     `json:"removed,omitempty"`
	Volunteers  []volunteer  `json:"volunteers,omitempty"`
	News        *[]newsItem  `json:"news,omitzero"` // all that are unseen; nil: as before

	mails    bool     // there are mails to send
	unlinked []string // volunteers whose links end
	claimed  claimed
}

// getBoard reads the rev before everything that it counts the changes of. A change that is newer is sent
// again as an update, which then changes nothing. If the module that plans services does not respond, the
// board still has roles and volunteers.
//
// A reader whose stream has told it what there is outside says so (?outside=), and never gets a board with
// something older than that.
func (m *rota) getBoard(ctx context.Context, r *http.Request) (any, error) {
	b, moved, err := m.lately(ctx, r.URL.Query().Get("outside"))
	if err == nil && len(moved) > 0 && m.caughtUp(ctx, moved...) {
		b, _, err = m.boardNow(ctx)
	}
	return b, err
}

// snapshot returns the head of the board. Changes with a higher rev follow it as updates.
func (m *rota) snapshot(ctx context.Context) (any, error) {
	now := m.clock()
	known := m.outside.Load()
	seen, err := m.lookOutside(ctx, now)
	if err != nil {
		return nil, err
	}
	h := &head{ServerTime: now, Outside: seen.digest}
	if err := m.db.QueryRow(ctx, `SELECT rev FROM board`).Scan(&h.Rev); err != nil {
		return nil, err
	}
	m.remember(known, seen, h.Rev)
	return h, nil
}

// outside is what the board shows of other modules and of the settings. The rev does not count its changes.
type outside struct {
	Services      []service
	Unplanned     bool // the module that plans services did not respond
	Announcements bool
	WeekStartsOn  string

	digest string // a short text that is another one when something of this is

	at  time.Time // when this was looked at, by the computer's clock
	rev int64     // of the board, then
}

func (m *rota) lookOutside(ctx context.Context, now time.Time) (*outside, error) {
	at := time.Now()
	services, err := m.services(ctx, m.monthBefore(now), now.AddDate(1, 0, 0))
	unplanned := errors.Is(err, sdk.ErrCapabilityFailed) || errors.Is(err, sdk.ErrCapabilityAbsent)
	if err != nil && !unplanned {
		return nil, err
	}
	seen := &outside{Services: services, Unplanned: unplanned, Announcements: m.hasAnnouncements(ctx),
		WeekStartsOn: m.host.Config.String("weekStartsOn"), at: at}
	text, err := json.Marshal(seen)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(text)
	seen.digest = base64.RawURLEncoding.EncodeToString(sum[:12])
	return seen, nil
}

// remember keeps what was looked at outside, for boards of the next m.fresh. A change of the board can follow
// one outside, so it is kept only if the board has the rev that it had before the look.
func (m *rota) remember(before, seen *outside, rev int64) {
	if before == nil || before.rev != rev || seen.Unplanned {
		seen = &outside{}
	}
	seen.rev = rev
	m.outside.Store(seen)
}

// lately is boardNow with what another request has looked at outside within m.fresh, if that is what is
// wanted, and if the board has not changed since.
func (m *rota) lately(ctx context.Context, wanted string) (_ *board, moved []string, err error) {
	known := m.outside.Load()
	if known == nil || time.Since(known.at) >= m.fresh || wanted != "" && wanted != known.digest {
		return m.boardNow(ctx)
	}
	b, moved, err := m.boardWith(ctx, m.clock(), known)
	if err == nil && b.Rev != known.rev {
		return m.boardNow(ctx)
	}
	return b, moved, err
}

// boardNow returns the board, and which services are elsewhere than people were told, or cancelled.
func (m *rota) boardNow(ctx context.Context) (_ *board, moved []string, err error) {
	now, known := m.clock(), m.outside.Load()
	seen, err := m.lookOutside(ctx, now)
	if err != nil {
		return nil, nil, err
	}
	b, moved, err := m.boardWith(ctx, now, seen)
	if err == nil {
		m.remember(known, seen, b.Rev)
	}
	return b, moved, err
}

// boardWith is the board with what there is outside.
func (m *rota) boardWith(
	ctx context.Context, now time.Time, seen *outside,
) (_ *board, moved []string, err error) {
	b := &board{ServerTime: now, Outside: seen.digest, Announcements: seen.Announcements,
		WeekStartsOn: seen.WeekStartsOn, Unplanned: seen.Unplanned}
	ids, starts := make([]string, len(seen.Services)), make([]string, len(seen.Services))
	for n, s := range seen.Services {
		ids[n], starts[n] = s.ID, s.Start.Format(time.RFC3339Nano)
	}
	until := now.AddDate(1, 0, 0) // a service before that which is not here any more is cancelled
	if seen.Unplanned || len(ids) >= maxServices {
		until = now // further ones are not known
	}
	var assigned []assignment
	var needs []serviceNeed
	err = sdk.Read(ctx, m.db,
		sdk.RowInto([]any{&b.Rev, &b.RolesRev, &b.Roles, &needs, &b.News, &moved}, `
			SELECT rev, roles_rev, `+rolesJSON+`, `+needsJSON+`, `+unseenJSON+`,
			       coalesce((
			           SELECT json_agg(k.service_ref)
			           FROM known_services AS k
			               LEFT JOIN unnest($1::text[], $2::text[]) AS s (id, start) ON s.id = k.service_ref
			           WHERE CASE
			               WHEN s.id IS NOT NULL THEN k.cancelled OR k.starts_at <> s.start::timestamptz
			               WHEN NOT k.cancelled AND k.starts_at > $3 AND k.starts_at < $4
			               THEN EXISTS (SELECT FROM assignments AS a
			                            WHERE a.service_ref = k.service_ref AND NOT a.settled)
			           END), '[]')
			FROM board`, ids, starts, now, until),
		selectVolunteers(&b.Volunteers, `true`),
		selectAssignments(&assigned, `service_ref = ANY($1)`, ids))
	if err != nil {
		return nil, nil, err
	}
	b.Weeks, err = m.weeks(seen.Services, needsOf(needs), assigned)
	return b, moved, err
}

// weeks groups the services by week. If they have too many bytes, the last ones are omitted.
func (m *rota) weeks(services []service, needs map[string][]need, assigned []assignment) ([]week, error) {
	of := make(map[string][]assignment)
	for _, a := range assigned {
		of[a.ServiceID] = append(of[a.ServiceID], a)
	}
	plan := make([]planned, len(services))
	for n, s := range services {
		plan[n] = planned{s, append([]need{}, needs[s.ID]...), append([]assignment{}, of[s.ID]...)}
	}
	sent, err := fitting(plan)
	if err != nil {
		return nil, err
	}
	if sent < len(plan) {
		m.host.Log.Warn("the board is too long", "services", len(services), "sent", sent)
	}
	all := []week{}
	for _, one := range plan[:sent] {
		begins := m.weekOf(one.Start).Format(time.DateOnly)
		if len(all) == 0 || all[len(all)-1].Begins != begins {
			all = append(all, week{Begins: begins})
		}
		last := &all[len(all)-1]
		last.Services = append(last.Services, one)
	}
	return all, nil
}

// fitting returns how many services have at most maxBoardBytes. The bytes are counted only where there may be
// too many.
func fitting(plan []planned) (sent int, err error) {
	most := 0
	for _, one := range plan {
		// a byte of a text has at most six in JSON, and everything else of a service or an assignment 500
		most += 500 + 6*(len(one.ID)+len(one.Title)) + 100*len(one.Needs) +
			(500+6*len(one.ID))*len(one.Assignments)
	}
	if most <= maxBoardBytes {
		return len(plan), nil
	}
	size := 0
	for n, one := range plan {
		text, err := json.Marshal(one)
		if err != nil {
			return 0, err
		}
		if size += len(text); size > maxBoardBytes {
			return n, nil
		}
	}
	return len(plan), nil
}

// weekOf returns the first day of a moment's week, in the zone of the house.
func (m *rota) weekOf(at time.Time) time.Time {
	first := time.Monday
	if m.host.Config.String("weekStartsOn") == "sunday" {
		first = time.Sunday
	}
	day := m.dayOf(at)
	return day.AddDate(0, 0, -(int(day.Weekday()-first)+7)%7)
}

// dayOf returns the beginning of a moment's day.
func (m *rota) dayOf(at time.Time) time.Time {
	year, month, day := at.In(m.zone()).Date()
	return time.Date(year, month, day, 0, 0, 0, 0, m.zone())
}

// monthBefore returns the beginning of the previous month.
func (m *rota) monthBefore(at time.Time) time.Time {
	year, month, _ := at.In(m.zone()).Date()
	return time.Date(year, month-1, 1, 0, 0, 0, 0, m.zone())
}

// change runs f as a change of the board, changes its links, publishes the update that f returned, and sends
// its mails.
func (m *rota) change(ctx context.Context, f func(tx *sdk.Tx) (update, error)) error {
	var told update
	err := m.changes.Write(ctx, func(tx *sdk.Tx, rev int64) (_ sdk.Updates, err error) {
		told, err = f(tx)
		told.Rev = rev
		if err == nil {
			err = m.changeLinks(ctx, told) // before the commit: afterwards nobody would try again
		} else {
			told.unlinked, told.claimed = nil, claimed{} // nothing is changed, as in a preview
		}
		return sdk.Updates{boardChannel: told}, err
	})
	if err == nil && told.mails {
		m.outbox.Wake()
	}
	if err == nil {
		_ = m.changeLinks(ctx, told) // those that a mail got before it could see the change
	}
	return err
}
