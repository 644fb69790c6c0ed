package sample

import (
	"context"
	"net/http"
	"time"
)

// calendarEvent is an event as POST /events expects it, in the house's time zone. day counts from the first
// day of its list.
type calendarEvent struct {
	title, text       string
	day               int
	from, until       string // both "": the whole day, until lastDay
	lastDay           int
	rule              string
	church, hall, own bool // the rooms: own is the small one
}

// calendarEvents are the events of a month, from the Monday of this week. The services beside them are those
// of the module that plans them.
var calendarEvents = []calendarEvent{
	{title: "Coffee after the service", day: 6, from: "11:15", until: "12:30", rule: "FREQ=WEEKLY;BYDAY=SU",
		hall: true},
	{title: "Children's church", day: 6, from: "10:00", until: "11:00", rule: "FREQ=WEEKLY;BYDAY=SU", own: true},
	{title: "Morning prayer", day: 0, from: "08:00", until: "08:20", rule: "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR",
		church: true},
	{title: "Toddler group", day: 1, from: "09:30", until: "11:00", rule: "FREQ=WEEKLY;BYDAY=TU", hall: true},
	{title: "Seniors' afternoon", day: 2, from: "14:30", until: "16:30",
		rule: "FREQ=WEEKLY;INTERVAL=2;BYDAY=WE", hall: true},
	{title: "Confirmation class", day: 1, from: "16:30", until: "18:00", rule: "FREQ=WEEKLY;BYDAY=TU",
		own: true},
	{title: "Choir practice", day: 3, from: "19:00", until: "20:45", rule: "FREQ=WEEKLY;BYDAY=TH", hall: true,
		text: "New voices are welcome."},
	{title: "Youth evening", day: 4, from: "18:30", until: "21:00", rule: "FREQ=WEEKLY;BYDAY=FR", hall: true},
	{title: "Home group", day: 2, from: "19:30", until: "21:00", rule: "FREQ=WEEKLY;BYDAY=WE", own: true},
	{title: "Council", day: 0, from: "19:30", until: "21:30", rule: "FREQ=MONTHLY;BYDAY=2MO", own: true},
	{title: "Organ practice", day: 5, from: "15:00", until: "17:00", rule: "FREQ=WEEKLY;BYDAY=SA", church: true},
	{title: "Shared lunch", day: 13, from: "12:30", until: "14:30", hall: true,
		text: "Please bring something to share."},
	{title: "Wedding", day: 19, from: "13:00", until: "14:30", church: true},
	{title: "Concert", day: 12, from: "19:00", until: "21:00", church: true,
		text: "Music by the town's wind band."},
	{title: "Church camp", day: 18, lastDay: 20, text: "By the lake. There are places left."},
	{title: "Cleaning day", day: 5, from: "09:00", until: "12:00", hall: true, own: true},
}

// adventEvents are the events of Advent. day counts from the first Sunday of Advent.
var adventEvents = []calendarEvent{
	{title: "Making Advent wreaths", day: -1, from: "13:30", until: "16:30", own: true,
		text: "Bring scissors; there is enough fir for everybody."},
	{title: "Nativity play rehearsal", day: -1, from: "10:30", until: "12:00",
		rule: "FREQ=WEEKLY;COUNT=4", church: true},
	{title: "Advent market", day: 6, from: "13:00", until: "18:00", hall: true,
		text: "Cakes are welcome from noon."},
	{title: "Carol singing", day: 13, from: "17:00", until: "18:00", church: true},
}

// calendar creates three rooms and the events in them, in the weeks around today and in the next Advent.
func calendar(ctx context.Context, c *caller) error {
	rooms := make([]int, 3)
	for i, name := range []string{"Church", "Hall", "Small room"} {
		var room struct {
			ID int `json:"id"`
		}
		if err := c.json(ctx, http.MethodPost, "/rooms", map[string]string{"name": name}, &room); err != nil {
			return err
		}
		rooms[i] = room.ID
	}
	monday := c.now.AddDate(0, 0, -(int(c.now.Weekday())+6)%7)
	for _, e := range calendarEvents {
		first := monday
		if e.rule != "" {
			first = first.AddDate(0, 0, -21) // they began three weeks ago
		}
		if err := e.create(ctx, c, first, rooms); err != nil {
			return err
		}
	}
	year := seasonOf(c.now)
	for _, e := range adventEvents {
		if err := e.create(ctx, c, adventOf(year, c.now.Location()), rooms); err != nil {
			return err
		}
	}
	christmas := calendarEvent{title: "Christmas dinner", from: "12:30", until: "15:00", own: true,
		text: "Nobody has to be alone. Please say in the office that you come."}
	return christmas.create(ctx, c, time.Date(year, time.December, 25, 0, 0, 0, 0, time.UTC), rooms)
}

// create writes the event. first is the date of day 0.
func (e calendarEvent) create(ctx context.Context, c *caller, first time.Time, rooms []int) error {
	needed := []int{}
	for i, needs := range []bool{e.church, e.hall, e.own} {
		if needs {
			needed = append(needed, rooms[i])
		}
	}
	on := func(day int, clock string) string { return first.AddDate(0, 0, day).Format(time.DateOnly) + clock }
	event := map[string]any{"title": e.title, "text": e.text, "rule": e.rule, "rooms": needed,
		"start": on(e.day, "T"+e.from), "end": on(e.day, "T"+e.until)}
	if e.from == "" {
		event["start"], event["end"] = on(e.day, ""), on(e.lastDay, "")
	}
	return c.json(ctx, http.MethodPost, "/events", event, nil)
}
