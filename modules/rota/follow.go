package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

const (
	followEvery = time.Minute
	// followBack is how long after its start a service is still followed: somebody may move it then, too.
	followBack = 31 * 24 * time.Hour
	followMost = 1000 // services
)

// state is what became of a service, in the form of the module that plans services.
type state struct {
	service
	Rev       int64 `json:"rev"`
	Cancelled bool  `json:"cancelled"`
}

// keepFollowing settles what is long past, and follows the others.
func (m *rota) keepFollowing(ctx context.Context) error {
	_, err := m.db.Exec(ctx, `
		UPDATE assignments AS a
		SET settled = true
		FROM known_services AS k
		WHERE NOT a.settled AND k.service_ref = a.service_ref AND k.starts_at <= $1`, m.clock().Add(-followBack))
	if err != nil {
		return err
	}
	different, err := m.follow(ctx)
	if err == nil && !different { // else there are news for the outbox
		sdk.NothingFor(ctx, restMost)
	}
	return err
}

// follow looks at what became of the services that people are asked for, and of further ones, and notes what
// is different. The state of a service has a rev, and an older state than the known one changes nothing. So
// it does not matter which process runs this, how often, or with how old an answer.
func (m *rota) follow(ctx context.Context, further ...string) (some bool, err error) {
	known, err := m.followed(ctx, further)
	if err != nil {
		return false, err
	}
	now, err := m.states(ctx, known)
	if err != nil {
		return false, err
	}
	different := slices.DeleteFunc(known, func(k knownService) bool { return !k.differs(now) })
	if len(different) == 0 {
		return false, nil
	}
	return true, m.change(ctx, func(tx *sdk.Tx) (update, error) {
		for _, k := range different {
			if err := m.noteState(ctx, tx, k.Ref, now); err != nil {
				return update{}, err
			}
		}
		// services are elsewhere now, so readers fetch the board again
		return update{mails: true}, m.queueNews(ctx, tx)
	})
}

// knownService is a service as it was when somebody was last told. New means that it was never read.
type knownService struct {
	Ref       string
	New       bool
	Title     string
	Start     time.Time
	Rev       int64
	Cancelled bool
}

// differs reports whether the service has another state now. A deleted service has none.
func (k *knownService) differs(now map[string]state) bool {
	s, there := now[k.Ref]
	if !there {
		return !k.New && !k.Cancelled
	}
	return k.New || s.Rev >= k.Rev &&
		(k.Title != s.Title || !k.Start.Equal(s.Start) || k.Cancelled != s.Cancelled)
}

// followed returns the services for which somebody is planned, of those that are long past only the further
// ones.
func (m *rota) followed(ctx context.Context, further []string) ([]knownService, error) {
	return sdk.Select[knownService](ctx, m.db, `
		SELECT a.service_ref, k.service_ref IS NULL, coalesce(k.title, ''), coalesce(k.starts_at, now()),
		       coalesce(k.rev, 0), coalesce(k.cancelled, false)
		FROM (
				SELECT service_ref FROM assignments WHERE NOT settled
				UNION
				SELECT service_ref FROM assignments WHERE service_ref = ANY($3)) AS a
			LEFT JOIN known_services AS k USING (service_ref)
		WHERE k.starts_at IS NULL OR k.starts_at > $1 OR k.service_ref = ANY($3)
		ORDER BY k.starts_at NULLS LAST
		LIMIT $2`, m.clock().Add(-followBack), followMost, further)
}

// states asks the module that plans services for the state of each of them.
func (m *rota) states(ctx context.Context, known []knownService) (map[string]state, error) {
	found := make(map[string]state, len(known))
	for part := range slices.Chunk(known, servicesPage) {
		ids := make([]string, len(part))
		for n, k := range part {
			ids[n] = k.Ref
		}
		var page struct {
			Services []state `json:"services"`
		}
		asked := map[string]any{"ids": ids}
		if err := m.host.Capability("stage.services").Call(ctx, "states", asked, &page); err != nil {
			return nil, err
		}
		for _, s := range page.Services {
			found[s.ID] = s
		}
	}
	return found, nil
}

// noteState notes the difference of one service. It reads the known state again, because another process may
// have been faster.
func (m *rota) noteState(ctx context.Context, tx *sdk.Tx, ref string, now map[string]state) error {
	found, err := sdk.Select[knownService](ctx, tx, `
		SELECT service_ref, false, title, starts_at, rev, cancelled
		FROM known_services
		WHERE service_ref = $1`, ref)
	if err != nil {
		return err
	}
	s, there := now[ref]
	if len(found) == 0 {
		if there {
			return know(ctx, tx, s)
		}
		return nil
	}
	before := found[0]
	if !before.differs(now) {
		return nil
	}
	if !there {
		s = state{service: service{before.Ref, before.Title, before.Start}, Rev: before.Rev, Cancelled: true}
	}
	_, err = tx.Exec(ctx, `
		UPDATE known_services
		SET title = $2, starts_at = $3, rev = $4, cancelled = $5, changed_at = now(), changes = changes + 1
		WHERE service_ref = $1`,
		ref, s.Title, s.Start, s.Rev, s.Cancelled)
	if err == nil && s.Start.After(m.clock().Add(-followBack)) {
		_, err = tx.Exec(ctx, `UPDATE assignments SET settled = false WHERE service_ref = $1 AND settled`, ref)
	}
	if err != nil {
		return err
	}
	return m.noteService(ctx, tx, before, s)
}

// know stores the state of a service that nobody was told of yet.
func know(ctx context.Context, tx *sdk.Tx, s state) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO known_services (service_ref, title, starts_at, rev, cancelled) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (service_ref) DO NOTHING`, s.ID, s.Title, s.Start, s.Rev, s.Cancelled)
	return err
}

// noteService asks people again whose service was moved, and notes whom to tell of what.
func (m *rota) noteService(ctx context.Context, tx *sdk.Tx, before knownService, s state) error {
	moved := !before.Start.Equal(s.Start)
	if moved {
		if err := askAgain(ctx, tx, before, s); err != nil {
			return err
		}
	}
	now := m.clock()
	n := newsItem{ServiceID: s.ID, Title: s.Title, Start: s.Start, once: fmt.Sprintf("%s/%d", s.ID, s.Rev)}
	switch {
	case s.Cancelled && !before.Cancelled && before.Start.After(now):
		n.Kind, n.Start = newsCancelled, before.Start
	case !s.Cancelled && before.Cancelled && s.Start.After(now):
		n.Kind = newsRestored
	case !s.Cancelled && moved && (before.Start.After(now) || s.Start.After(now)):
		n.Kind, n.Was = newsMoved, &before.Start
	default:
		return nil
	}
	asked, err := sdk.Select[string](ctx, tx, `
		SELECT DISTINCT volunteer_id::text FROM assignments WHERE service_ref = $1 AND status IN ('open', 'yes')`,
		s.ID)
	if err != nil || len(asked) == 0 {
		return err
	}
	n.People = len(asked)
	return m.note(ctx, tx, n, asked)
}

// askAgain makes every yes to the previous start a request for the new one. A service that is back at the
// start to which somebody said yes needs no answer.
func askAgain(ctx context.Context, tx *sdk.Tx, before knownService, s state) error {
	_, err := tx.Exec(ctx, `
		UPDATE assignments
		SET status = CASE WHEN status = 'yes' THEN 'open' ELSE 'yes' END,
		    agreed = CASE WHEN status = 'yes' THEN $2::timestamptz END,
		    seeking = false, asked_at = now(), rev = rev + 1
		WHERE service_ref = $1 AND (status = 'yes' OR status = 'open' AND agreed = $3::timestamptz)`,
		s.ID, before.Start, s.Start)
	return err
}

// caughtUp follows the services now, without waiting for the schedule.
func (m *rota) caughtUp(ctx context.Context, further ...string) bool {
	_, err := m.follow(ctx, further...)
	if err != nil {
		m.host.Log.Warn("changes of services could not be followed")
	}
	return err == nil
}

// followNow follows the services, unless they were followed within m.fresh. Of many callers at once one does
// it, and the others see what is known. So own duties show a change of a service a second later at most, and
// they are shown also while the module that plans services does not answer.
func (m *rota) followNow(ctx context.Context) {
	if at := m.followedAt.Load(); at != nil && time.Since(*at) < m.fresh || !m.following.TryTake() {
		return
	}
	defer m.following.Leave()
	if m.caughtUp(ctx) || ctx.Err() == nil {
		now := time.Now()
		m.followedAt.Store(&now)
	}
}

// askedFor returns how many people said yes to a service, how many were asked and have not answered, and how
// many of them have no address. It names nobody: whoever moves or cancels a service wants to know.
func (m *rota) askedFor(ctx context.Context, r *http.Request) (any, error) {
	var asked struct {
		Yes       int `json:"yes"`
		Open      int `json:"open"`
		NoAddress int `json:"noAddress"` // of both
	}
	err := m.db.QueryRow(ctx, `
		SELECT count(DISTINCT v.id) FILTER (WHERE status = 'yes'),
		       count(DISTINCT v.id) FILTER (WHERE status = 'open'),
		       count(DISTINCT v.id) FILTER (WHERE status IN ('yes', 'open') AND email = '' AND label <> '')
		FROM assignments AS a JOIN volunteers AS v ON v.id = a.volunteer_id
		WHERE service_ref = $1`, r.PathValue("ref")).Scan(&asked.Yes, &asked.Open, &asked.NoAddress)
	return asked, err
}
