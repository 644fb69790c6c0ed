package main

import (
	"context"
	"errors"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// planner is the capability of the module that plans services. It owns them: a change goes there first.
const planner = "stage.services"

// What an answer says of the services in it.
const (
	servicesHere   = "here"   // as they are now
	servicesAbsent = "absent" // nobody plans services in this house
	servicesUnsure = "unsure" // as they were: the other module does not answer
)

// Limits of following services.
const (
	followPage   = 100 // services of one answer
	followMost   = 200 // answers, so that one that repeats itself ends
	followWithin = 2 * time.Second
	followEvery  = 2 * time.Second
	// One that does not answer is left alone for as long as pauseEach looks took, so that readers seldom wait.
	pauseEach = 10
	// followFor is how long after a look at the calendar it follows by itself. Readers' streams restart within
	// five minutes, and look again.
	followFor = 6 * time.Minute

	usualLength   = 60 // minutes of a service without a plan
	lengthStep    = 5  // planned minutes are rounded up to such steps
	longestLength = 24 * 60
)

// plannedService is a service as the module says that plans it. Changed rises with every change of any
// service.
type plannedService struct {
	ID        string    `json:"id"`
	Title     string    `json:"title"`
	Start     time.Time `json:"start"`
	Rev       int64     `json:"rev"`
	Cancelled bool      `json:"cancelled"`
	Minutes   int64     `json:"minutes"`
	Changed   int64     `json:"changed"`
}

// length returns how many minutes the service takes in the calendar.
func (s *plannedService) length() int64 {
	if s.Minutes < 1 {
		return usualLength
	}
	return min((s.Minutes+lengthStep-1)/lengthStep*lengthStep, longestLength)
}

// following is what this process knows of the services. Its fields belong to whoever has the turn.
type following struct {
	turn   sdk.Turn
	state  string
	looked time.Time // when the last look began
	again  time.Time // when the next look may begin, after one without an answer
	zone   string    // that the services are written in; "": they were not compared as a whole yet
	seen   int64     // the latest change
	wake   chan struct{}
	end    context.CancelFunc
	ended  chan struct{}
}

// startFollowing follows the services while somebody looks at the calendar.
func (c *calendar) startFollowing() {
	ctx, end := context.WithCancel(context.Background())
	c.services = &following{turn: sdk.NewTurn(), wake: make(chan struct{}, 1), end: end,
		ended: make(chan struct{})}
	go func() {
		defer close(c.services.ended)
		c.keepUp(ctx)
	}()
}

func (c *calendar) stopFollowing() {
	if c.services != nil {
		c.services.end()
		<-c.services.ended
	}
}

// keepUp looks at the services and at the house's zone every followEvery, for as long as the calendar was
// looked at within followFor. A house in which nobody looks costs nothing.
func (c *calendar) keepUp(ctx context.Context) {
	timer := time.NewTimer(followEvery)
	defer timer.Stop()
	var until time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.services.wake:
			until = time.Now().Add(followFor)
			continue
		case <-timer.C:
		}
		if time.Now().Before(until) {
			_ = c.followZone(ctx) // if that fails, the next request tells
			c.look(ctx)
		}
		timer.Reset(followEvery)
	}
}

// caughtUp looks at the services before an answer that has them.
func (c *calendar) caughtUp(ctx context.Context) string {
	select {
	case c.services.wake <- struct{}{}:
	default:
	}
	return c.look(ctx)
}

// lookForSignedUp looks at the services if somebody has signed up for one, so that they hear what becomes of
// it although nobody looks at the calendar.
func (c *calendar) lookForSignedUp(ctx context.Context) {
	var some bool
	err := c.db.QueryRow(ctx, `
		SELECT EXISTS (
			SELECT FROM sheets s
			JOIN events e ON e.id = s.event_id
			WHERE EXISTS (SELECT FROM participants WHERE sheet_id = s.id) AND e.service_rev > 0
				AND e.starts > now() AT TIME ZONE 'UTC' - interval '1 day')`).Scan(&some)
	if err == nil && some {
		c.look(ctx)
	}
}

// look makes the calendar's services those of the module that plans them. Callers that wait for the same look
// share the next one. A module that does not answer is asked again after a while, and no reader waits for it
// meanwhile.
func (c *calendar) look(ctx context.Context) string {
	f, arrived := c.services, time.Now()
	within, cancel := context.WithTimeout(ctx, followWithin)
	defer cancel()
	if f.turn.Take(within) != nil {
		return servicesUnsure
	}
	defer f.turn.Leave()
	switch {
	case f.state == servicesAbsent, f.state != "" && f.looked.After(arrived),
		f.state == servicesUnsure && arrived.Before(f.again):
		return f.state
	}
	f.looked = time.Now()
	before := f.state
	switch err := c.follow(ctx, within); {
	case err == nil:
		f.state = servicesHere
	case errors.Is(err, sdk.ErrCapabilityAbsent):
		f.state = servicesAbsent
		if err := c.hideServices(ctx); err != nil {
			f.state = "" // and again with the next look
			return servicesUnsure
		}
	case ctx.Err() != nil:
		return servicesUnsure
	default:
		f.state = servicesUnsure
		f.again = time.Now().Add(max(followEvery, pauseEach*time.Since(f.looked)))
		c.host.Log.Warn("changes of services could not be followed")
	}
	if before != "" && before != f.state { // readers learn whether what they see is so
		_ = c.change(ctx, func(*sdk.Tx) error { return nil })
	}
	return f.state
}

// follow asks what was changed since the last look, and writes what the calendar shows of it. The first look
// of a process, and the first in another zone, compares everything. within bounds the questions.
func (c *calendar) follow(ctx, within context.Context) error {
	f := c.services
	zone, since := c.zone().place.String(), f.seen
	whole := f.zone != zone
	if whole {
		since = 0
	}
	var all []plannedService
	for range followMost {
		var page struct {
			Services []plannedService `json:"services"`
		}
		asked := map[string]int64{"since": since}
		if err := c.host.Capability(planner).Call(within, "changed", asked, &page); err != nil {
			return err
		}
		all = append(all, page.Services...)
		for _, s := range page.Services {
			since = max(since, s.Changed)
		}
		if len(page.Services) < followPage {
			break
		}
	}
	if err := c.takeServices(ctx, all, whole); err != nil {
		return err
	}
	f.seen, f.zone = since, zone
	return nil
}

// takeServices writes the services that are different here. If they are all that there are, others are gone.
// The rev of a service decides, so it does not matter how many processes do this, or with how old an answer.
func (c *calendar) takeServices(ctx context.Context, all []plannedService, whole bool) error {
	if len(all) == 0 && !whole {
		return nil
	}
	kept, err := keptServices(ctx, c.db)
	if err != nil {
		return err
	}
	var different []plannedService
	there := make(map[string]bool, len(all))
	for _, s := range all {
		there[s.ID] = true
		if k, known := kept[s.ID]; k.differs(known, &s, c.zone()) {
			different = append(different, s)
		}
	}
	var gone []string
	for id, k := range kept {
		if whole && !there[id] && !k.gone {
			gone = append(gone, id)
		}
	}
	if len(different)+len(gone) == 0 {
		return nil
	}
	return c.change(ctx, func(tx *sdk.Tx) error {
		for _, s := range different {
			if err := c.takeService(ctx, tx, s); err != nil {
				return err
			}
		}
		return putAway(ctx, tx, gone...)
	})
}

// keptService is a service as the calendar has it.
type keptService struct {
	event
	ownLength bool
	confirmed int64 // the rev of the module that plans it
	gone      bool
	placed    bool // it has an occurrence
}

// differs reports whether the calendar shows the service in another way than it is. An older state than the
// known one is not different.
func (k keptService) differs(known bool, s *plannedService, z zone) bool {
	switch {
	case !known:
		return !s.Cancelled
	case s.Rev < k.confirmed:
		return false
	case s.Cancelled || k.gone:
		return s.Cancelled != k.gone
	}
	return !k.placed || k.confirmed == 0 || k.title != s.Title || !k.start.Equal(z.local(s.Start)) ||
		!k.ownLength && k.minutes != s.length()
}

const selectServices = `
	SELECT own_length, service_rev, deleted_at IS NOT NULL,
	       EXISTS (SELECT FROM occurrences WHERE event_id = events.id), ` + eventColumns + `
	FROM events
	WHERE service_rev IS NOT NULL`

// keptServices returns the services by their ids.
func keptServices(ctx context.Context, db sdk.Querier) (map[string]keptService, error) {
	all, err := sdk.SelectBy(ctx, db, scanService, selectServices)
	kept := make(map[string]keptService, len(all))
	for _, k := range all {
		kept[k.id] = k
	}
	return kept, err
}

func scanService(row sdk.Scanner, k *keptService) error {
	e, err := scanEvent(before{row, []any{&k.ownLength, &k.confirmed, &k.gone, &k.placed}})
	if err == nil {
		k.event = *e
	}
	return err
}

// before scans columns before those of an event.
type before struct {
	row   sdk.Scanner
	first []any
}

// Scan reads one row.
func (b before) Scan(dst ...any) error { return b.row.Scan(append(b.first, dst...)...) }

// takeService writes a service as the module that plans it says. Its rooms stay, and wait if another event
// has them at the new time.
func (c *calendar) takeService(ctx context.Context, tx *sdk.Tx, s plannedService) error {
	found, err := sdk.SelectBy(ctx, tx, scanService, selectServices+` AND id = $1::uuid FOR UPDATE`, s.ID)
	if err != nil {
		return err
	}
	k := keptService{event: event{id: s.ID, rooms: []int64{}}}
	if len(found) > 0 {
		k = found[0]
	}
	if !k.differs(len(found) > 0, &s, c.zone()) {
		return nil
	}
	if s.Cancelled {
		_, err := tx.Exec(ctx, `UPDATE events SET service_rev = $2 WHERE id = $1::uuid`, s.ID, s.Rev)
		if err != nil {
			return err
		}
		return putAway(ctx, tx, s.ID)
	}
	remembered := k.confirmed == 0
	k.title, k.start, k.confirmed = s.Title, c.zone().local(s.Start), s.Rev
	if !k.ownLength {
		k.minutes = s.length()
	}
	if written, err := k.write(ctx, tx); err != nil || !written {
		return err
	}
	if remembered { // those whom a file brought have heard of it where it came from
		if _, err := tx.Exec(ctx, `
			UPDATE participants p SET told = `+stateOf+`
			FROM `+onDates+`
			WHERE d.sheet = p.sheet_id AND d.event = $1::uuid AND mail = ''`, k.id); err != nil {
			return err
		}
	}
	_, _, err = insertOccurrences(ctx, tx, c.zone(),
		[]occurrence{{times: k.times, event: k.id, recurrence: k.start, rooms: k.rooms}})
	return err
}

// write stores a service, without its occurrence. An event of this house that has the id by chance stays.
func (k *keptService) write(ctx context.Context, tx *sdk.Tx) (written bool, err error) {
	n, err := tx.Exec(ctx, `
		INSERT INTO events (id, title, text, starts, minutes, all_day, rule, rooms, service_rev, own_length)
		VALUES ($1::uuid, $2, '', $3::timestamp, $4, false, '', $5::bigint[]::integer[], $6, $7)
		ON CONFLICT (id) DO UPDATE
		SET title = excluded.title, starts = excluded.starts, minutes = excluded.minutes, rooms = excluded.rooms,
		    service_rev = excluded.service_rev, own_length = excluded.own_length, deleted_at = NULL,
		    rev = events.rev + 1, changed_at = now()
		WHERE events.service_rev IS NOT NULL`,
		k.id, k.title, k.start.Format(clockForm), k.minutes, k.rooms, k.confirmed, k.ownLength)
	if err != nil || n == 0 {
		return false, err
	}
	_, err = tx.Exec(ctx, `DELETE FROM occurrences WHERE event_id = $1::uuid`, k.id)
	return true, err
}

// putAway takes services out of the calendar. Their rooms are remembered for a while, in case they come back.
func putAway(ctx context.Context, tx sdk.Querier, ids ...string) error {
	if len(ids) == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, `
		UPDATE events SET deleted_at = now(), changed_at = now(), rev = rev + 1
		WHERE id = ANY ($1::text[]::uuid[]) AND service_rev IS NOT NULL AND deleted_at IS NULL`, ids)
	if err == nil {
		_, err = tx.Exec(ctx, `
			DELETE FROM occurrences
			WHERE event_id IN (
				SELECT id FROM events WHERE id = ANY ($1::text[]::uuid[]) AND service_rev IS NOT NULL)`, ids)
	}
	return err
}

// hideServices takes all services off the calendar, with their bookings, while nobody plans services.
func (c *calendar) hideServices(ctx context.Context) error {
	return c.change(ctx, func(tx *sdk.Tx) error {
		n, err := tx.Exec(ctx, `
			DELETE FROM occurrences WHERE event_id IN (SELECT id FROM events WHERE service_rev IS NOT NULL)`)
		if err == nil && n == 0 {
			return sdk.ErrUnchanged
		}
		return err
	})
}
