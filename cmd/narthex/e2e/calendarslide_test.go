package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/storage/storagetest"
)

// TestCalendarSlide: the slide with the next events follows the calendar, through the processes of both
// modules: an event that is moved, and one that is deleted.
func TestCalendarSlide(t *testing.T) {
	t.Parallel()
	i := install(t, "announcements", "calendar")
	i.useObjectStorage("http://" + storagetest.New(t).Address)
	i.start(t)
	owner := i.visitor(t).signInAs(t, ownerAddress)
	const events, slides = "/api/v1/modules/calendar/events", "/api/v1/modules/announcements/slides"
	owner.create(t, 201, slides, object{"title": "Next", "kind": "calendar.slide", "enabled": true,
		"payload": object{"heading": "This week", "events": []object{}}})
	on := func(days int) string { return time.Now().AddDate(0, 0, days).Format("2006-01-02") }
	event := func(days int) object {
		return object{"title": "Lunch", "text": "", "start": on(days) + "T12:00", "end": on(days) + "T13:00",
			"rule": "", "rooms": []int{}}
	}
	shows := func(when, start string) {
		t.Helper()
		i.db.Exec(t, `UPDATE core.module_schedule SET due_at = now() WHERE name = 'slides'`)
		eventually(t, when+", the slide says "+start, func() bool {
			got := owner.do("GET", slides, nil).body
			return strings.Contains(got, `"start":"`) == (start != "") && strings.Contains(got, start) &&
				strings.Contains(got, "This week")
		})
	}
	id := owner.create(t, 201, events, event(3))["id"].(string)
	shows("after it was made", on(3)+"T12:00")
	moved := event(5)
	moved["rev"] = 1
	if got := owner.do("PUT", events+"/"+id, moved); got.status != 200 {
		t.Fatalf("PUT the event: %d %s", got.status, got.body)
	}
	shows("after it was moved", on(5)+"T12:00")
	if got := owner.do("DELETE", events+"/"+id, nil); got.status != 204 {
		t.Fatalf("DELETE the event: %d %s", got.status, got.body)
	}
	shows("after it was deleted", "")
}
