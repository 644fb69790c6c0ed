// Command calendar is what happens in a house: events once or repeating, and rooms that nobody books twice.
package main

import (
	"context"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// The permissions of module.json.
const (
	readEvents   = "calendar.events.read"
	manageEvents = "calendar.events.manage"
	viewDisplay  = "calendar.display.view"
)

// People are told which days have changed, and read those again; screens are sent what is on.
const (
	eventsChannel = "events"
	todayChannel  = "today"
)

// calendar is the module: its routes and, once started, what they work with.
type calendar struct {
	host *sdk.Host
	db   *sdk.DB
	turn turn
	zone zone
	// zoneWrong: an administrator has set a zone that there is not, and the last good one stays.
	zoneWrong bool
}

func main() { sdk.Serve(&calendar{}) }

// Register declares the routes and channels.
func (c *calendar) Register(r *sdk.Registry) error {
	r.HandleFunc("GET /occurrences", readEvents, sdk.NoBody, c.window)
	r.HandleFunc("GET /events/{id}", readEvents, sdk.NoBody, c.event)
	r.HandleFunc("POST /events", manageEvents, sdk.Buffered(16<<10), c.create)
	r.HandleFunc("PUT /events/{id}", manageEvents, sdk.Buffered(16<<10), c.edit)
	r.HandleFunc("DELETE /events/{id}", manageEvents, sdk.NoBody, c.remove)
	r.HandleFunc("POST /events/{id}/restore", manageEvents, sdk.Buffered(1<<10), c.restore)
	r.HandleFunc("PUT /events/{id}/dates/{date}", manageEvents, sdk.Buffered(16<<10), c.editDate)
	r.HandleFunc("POST /events/{id}/dates/{date}/cancel", manageEvents, sdk.Buffered(1<<10), c.cancelDate)
	r.HandleFunc("POST /events/{id}/dates/{date}/restore", manageEvents, sdk.Buffered(1<<10), c.restoreDate)
	r.HandleFunc("PUT /events/{id}/following/{date}", manageEvents, sdk.Buffered(16<<10), c.editFollowing)
	r.HandleFunc("POST /events/{id}/following/{date}/end", manageEvents, sdk.Buffered(1<<10), c.endBefore)
	r.HandleFunc("GET /waiting", manageEvents, sdk.NoBody, c.waiting)
	r.HandleFunc("GET /rooms", readEvents, sdk.NoBody, c.listRooms)
	r.HandleFunc("POST /rooms", manageEvents, sdk.Buffered(1<<10), c.createRoom)
	r.HandleFunc("PUT /rooms/{id}", manageEvents, sdk.Buffered(1<<10), c.renameRoom)
	r.HandleFunc("DELETE /rooms/{id}", manageEvents, sdk.NoBody, c.removeRoom)
	r.HandleFunc("GET /export", manageEvents, sdk.NoBody, c.exportJSON)
	r.HandleFunc("GET /export.csv", manageEvents, sdk.NoBody, c.exportCSV)
	r.HandleFunc("GET /calendar.ics", readEvents, sdk.NoBody, c.exportICS)
	r.HandleFunc("POST /import", manageEvents, sdk.Streamed(maxImport), c.importFile)
	r.Channel(eventsChannel, readEvents, c.position)
	r.Channel(todayChannel, viewDisplay, c.today)
	r.Every("horizon", 6*time.Hour, c.moveHorizon)
	r.PersonErased(c.forget)
	r.PersonExport(c.export)
	return nil
}

// Start keeps the host, and begins with a new zone where an administrator has set one.
func (c *calendar) Start(ctx context.Context, h *sdk.Host) error {
	c.host, c.db, c.turn = h, h.DB, newTurn()
	return c.settleZone(ctx)
}

// Stop has nothing to end: everything is in the database.
func (c *calendar) Stop(context.Context) error { return nil }
