package main

import (
	"context"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// remindAt is the hour of the day from which reminders are sent, in the zone of the house.
const remindAt = 8

// remind stores the reminders and the weekly overview that are due. Each is stored only once, because the row
// has a unique key for its purpose. So it does not matter which process runs this, or how often.
func (m *rota) remind(ctx context.Context) error {
	now := m.clock()
	before := int(m.host.Config.Integer("remindDaysBefore"))
	// a day more than is reminded of, for the next moment
	services, err := m.services(ctx, now, now.AddDate(0, 0, before+2))
	if err != nil {
		return err
	}
	queued := false
	for _, s := range services {
		due, which := m.due(s, now, before)
		if which == "" {
			continue
		}
		day := m.dayOf(s.Start).Format(time.DateOnly)
		some, err := m.queueReminders(ctx, s.ID, due, "/"+day+"/"+which)
		if err != nil {
			return err
		}
		queued = queued || some
	}
	digest, err := m.queueDigest(ctx, now)
	if err != nil {
		return err
	}
	m.outbox.Wake()
	if !queued && !digest { // else the outbox has something to do
		sdk.NothingFor(ctx, m.nextReminder(services, now, before).Sub(now))
	}
	return nil
}

// nextReminder returns the first moment after now at which something may be due, at most a day later.
func (m *rota) nextReminder(services []service, now time.Time, before int) time.Time {
	week := m.weekOf(now)
	moments := []time.Time{remindAtHour(week), remindAtHour(week.AddDate(0, 0, 7))}
	for _, s := range services {
		earlier, onTheDay := m.moments(s, before)
		moments = append(moments, earlier, onTheDay)
	}
	next := now.Add(restMost)
	for _, moment := range moments {
		if moment.After(now) && moment.Before(next) {
			next = moment
		}
	}
	return next
}

// moments returns when the reminders of a service are due, the one before its day and the one on it.
func (m *rota) moments(s service, before int) (earlier, onTheDay time.Time) {
	day := m.dayOf(s.Start)
	onTheDay = remindAtHour(day)
	if early := s.Start.Add(-2 * time.Hour); early.Before(onTheDay) {
		onTheDay = early // earlier, for a service in the early morning
	}
	return remindAtHour(day.AddDate(0, 0, -before)), onTheDay
}

// due returns which of a service's two reminders is due and since when; "" for none. On the day of the
// service only the second one is still sent.
func (m *rota) due(s service, now time.Time, before int) (since time.Time, which string) {
	earlier, onTheDay := m.moments(s, before)
	switch {
	case !now.Before(s.Start):
		return now, ""
	case !now.Before(onTheDay):
		if m.host.Config.Boolean("remindOnTheDay") {
			return onTheDay, "day"
		}
	case now.Before(m.dayOf(s.Start)) && !now.Before(earlier):
		return earlier, "before"
	}
	return now, ""
}

// remindAtHour returns that hour of a day, also on a day on which the clock changes.
func remindAtHour(day time.Time) time.Time {
	return time.Date(day.Year(), day.Month(), day.Day(), remindAt, 0, 0, 0, day.Location())
}

// queueReminders stores reminders for volunteers who have said yes or have not responded. It skips those who
// got their request after the reminder was due.
func (m *rota) queueReminders(
	ctx context.Context, serviceID string, due time.Time, once string,
) (some bool, err error) {
	err = m.change(ctx, func(tx *sdk.Tx) (update, error) {
		mails, err := sdk.Select[int64](ctx, tx, `
			WITH due AS (
				SELECT a.id, a.volunteer_id, 'reminder/' || a.id || $3 AS once
				FROM assignments AS a JOIN volunteers AS v ON v.id = a.volunteer_id
				WHERE a.service_ref = $1 AND a.status IN ('open', 'yes') AND v.email <> ''
				  AND (a.asked_at IS NULL OR a.asked_at < $2)
			), written AS (
				INSERT INTO mail_log (kind, volunteer_id, once)
				SELECT 'reminder', volunteer_id, once FROM due
				ON CONFLICT (once) DO NOTHING
				RETURNING id, once
			)
			UPDATE assignments SET mail_id = written.id
			FROM written JOIN due USING (once)
			WHERE assignments.id = due.id
			RETURNING written.id`, serviceID, due, once)
		if err != nil {
			return update{}, err
		}
		if some = len(mails) > 0; !some {
			return update{}, sdk.ErrUnchanged
		}
		return aboutMails(ctx, tx, mails)
	})
	return some, err
}

// queueDigest stores the overview on the first day of the week.
func (m *rota) queueDigest(ctx context.Context, now time.Time) (some bool, err error) {
	week := m.weekOf(now)
	if !week.Equal(m.dayOf(now)) || now.Before(remindAtHour(week)) {
		return false, nil
	}
	stored, err := m.db.Exec(ctx, `
		INSERT INTO mail_log (kind, once)
		SELECT 'digest', $1 WHERE EXISTS (SELECT FROM volunteers WHERE digest)
		ON CONFLICT (once) DO NOTHING`, "digest/"+week.Format(time.DateOnly))
	return stored > 0, err
}
