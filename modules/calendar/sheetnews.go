package main

import (
	"context"
	"fmt"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// News of an event wait so long, so that people hear once of changes that belong together, and of none that
// is taken back.
const gatherFor = 5 * time.Minute

// toldOff is what people know of a cancelled event.
const toldOff = "off"

// stateOf is what people can know of what they have signed up for, d, as the column told keeps it.
const stateOf = `CASE WHEN d.off THEN '` + toldOff + `'
	ELSE to_char(d.starts, 'YYYY-MM-DD"T"HH24:MI') || ' ' || d.minutes || ' ' || d.all_day END`

// tellChanges has those told by mail who have signed up for an event, or a date of one, that this
// transaction has moved, cancelled or brought back, and returns how many they are.
func tellChanges(ctx context.Context, tx sdk.Querier) (people int64, err error) {
	return tx.Exec(ctx, `
		UPDATE participants p
		SET mail = 'changed', mail_at = now() + $1 * interval '1 second', mail_tries = 0
		FROM `+onDates+`
		WHERE p.sheet_id = d.sheet AND d.changed_at = now() AND p.mail = '' AND p.told <> `+stateOf,
		int64(gatherFor.Seconds()))
}

// told reads what somebody knows. ok is false for a cancelled event.
func told(text string) (t times, ok bool) {
	var start string
	if _, err := fmt.Sscan(text, &start, &t.minutes, &t.allDay); err != nil {
		return t, false
	}
	var err error
	t.start, err = time.Parse(clockForm, start)
	return t, err == nil
}

// newsFor returns what somebody hears of a changed event, and when it was before. ok is false if there is
// nothing to hear: it is as they know it, or over.
func (c *calendar) newsFor(m *waitingMail, e *event, w *mailWords) (about mailAbout, before string, ok bool) {
	z := c.zone()
	known, wasOn := told(m.Told)
	comes := z.instant(e.start).After(time.Now())
	switch {
	case m.Told == m.State:
		return about, "", false
	case m.State == toldOff:
		return w.Off, "", comes || wasOn && z.instant(known.start).After(time.Now())
	case !wasOn:
		return w.OnAgain, "", comes
	}
	earlier := *e
	earlier.times = known
	return w.Moved, w.when(&earlier, z), comes || z.instant(known.start).After(time.Now())
}
