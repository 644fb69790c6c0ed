// Command calendar is a module for the events of a house, once or repeating, and for rooms that cannot be
// booked twice.
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
	planServices = "calendar.services.manage"
	readPublic   = "calendar.public.read"
	viewDisplay  = "calendar.display.view"
	signUpSelf   = "calendar.signups.own"
	signUpGuest  = "calendar.signups.guest"
)

// People are notified of a change and fetch the events again; screens get the events of today.
const (
	eventsChannel = "events"
	todayChannel  = "today"
	sheetsChannel = "signups" // updates name the event whose list has changed
)

// nextRev begins each change of the calendar.
const nextRev = `UPDATE calendar SET rev = rev + 1 RETURNING rev`

// calendar is the module with its routes and, once started, their dependencies.
type calendar struct {
	host *sdk.Host
	db   *sdk.DB
	// services follows the module that plans services.
	services *following
	// changes are those of all events and rooms.
	changes *sdk.Changes
	clock   houseClock
	mails   *sdk.Worker
	rooms   sdk.Collection[room]
}

func main() { sdk.Serve(&calendar{}) }

// Register declares the routes and channels.
func (c *calendar) Register(r *sdk.Registry) error {
	r.HandleFunc("GET /occurrences", readEvents, sdk.NoBody, c.serve(c.window))
	r.HandleFunc("GET /events/{id}", readEvents, sdk.NoBody, c.serve(c.event))
	r.HandleFunc("POST /events", manageEvents, sdk.Buffered(16<<10), c.serve(c.create))
	r.HandleFunc("PUT /events/{id}", manageEvents, sdk.Buffered(16<<10), c.serve(c.edit))
	r.HandleFunc("DELETE /events/{id}", manageEvents, sdk.NoBody, c.serve(c.remove))
	r.HandleFunc("POST /events/{id}/restore", manageEvents, sdk.Buffered(1<<10), c.serve(c.restore))
	r.HandleFunc("PUT /events/{id}/dates/{date}", manageEvents, sdk.Buffered(16<<10), c.serve(c.editDate))
	r.HandleFunc("POST /events/{id}/dates/{date}/cancel", manageEvents, sdk.Buffered(1<<10),
		c.serve(c.cancelDate))
	r.HandleFunc("POST /events/{id}/dates/{date}/restore", manageEvents, sdk.Buffered(1<<10),
		c.serve(c.restoreDate))
	r.HandleFunc("PUT /events/{id}/following/{date}", manageEvents, sdk.Buffered(16<<10),
		c.serve(c.editFollowing))
	r.HandleFunc("POST /events/{id}/following/{date}/end", manageEvents, sdk.Buffered(1<<10),
		c.serve(c.endBefore))
	r.HandleFunc("POST /services", planServices, sdk.Buffered(16<<10), c.serve(c.createService))
	r.HandleFunc("PUT /services/{id}", planServices, sdk.Buffered(16<<10), c.serve(c.editService))
	r.HandleFunc("DELETE /services/{id}", planServices, sdk.NoBody, c.serve(c.cancelService))
	r.HandleFunc("POST /services/{id}/restore", planServices, sdk.Buffered(1<<10),
		c.serve(c.restoreService))
	r.HandleFunc("GET /waiting", manageEvents, sdk.NoBody, c.serve(c.waiting))
	c.rooms = c.collectRooms()
	c.rooms.Register(r)
	r.HandleFunc("GET /export", manageEvents, sdk.NoBody, c.serve(c.exportJSON))
	r.HandleFunc("GET /export.csv", manageEvents, sdk.NoBody, c.serve(c.exportCSV))
	r.Feed("GET /calendar.ics", readEvents, "text/calendar", c.feed)
	r.Feed("GET /public.ics", readPublic, "text/calendar", c.feed)
	r.HandleFunc("POST /import", manageEvents, sdk.Streamed(maxImport), c.serve(c.importFile))
	r.HandleFunc("GET /imports", manageEvents, sdk.NoBody, c.serve(c.listImports))
	r.HandleFunc("DELETE /imports/{id}", manageEvents, sdk.NoBody, c.serve(c.undoImport))
	c.registerSignUps(r)
	r.Probe("GET /rooms")
	r.Channel(eventsChannel, readEvents, c.position)
	r.Channel(todayChannel, viewDisplay, c.inZone(c.today))
	r.Every("horizon", 6*time.Hour, c.keepHorizon)
	r.Every("slides", slidesEvery, c.followSlides)
	r.Provide(eventsCapability, sdk.Methods{"between": sdk.Func(c.between)})
	r.PersonErased(c.forget)
	r.PersonExport(c.export)
	return nil
}

// Start stores the host, and takes the house's zone over.
func (c *calendar) Start(ctx context.Context, h *sdk.Host) error {
	c.host, c.db, c.changes, c.clock.turn = h, h.DB, h.Changes(nextRev), sdk.NewTurn()
	if err := c.followZone(ctx); err != nil {
		return err
	}
	c.mails = sdk.NewWorker(c.deliver)
	c.startFollowing()
	c.mails.Wake()
	return nil
}

// registerSignUps declares what concerns sign-ups: the organiser's routes and those of people who are signed
// in, each for what happens once and for one date of a series, and those of guests with a link.
func (c *calendar) registerSignUps(r *sdk.Registry) {
	for _, of := range []string{"/events/{id}", "/events/{id}/dates/{date}"} {
		list, own := of+"/signups", of+"/signup"
		r.HandleFunc("GET "+list, manageEvents, sdk.NoBody, c.serve(c.list))
		r.HandleFunc("PUT "+list, manageEvents, sdk.Buffered(32<<10), c.serve(c.setSheet))
		r.HandleFunc("DELETE "+list, manageEvents, sdk.NoBody, c.serve(c.removeSheet))
		r.HandleFunc("GET "+list+".csv", manageEvents, sdk.NoBody, c.serve(c.listCSV))
		r.HandleFunc("POST "+list+"/link", manageEvents, sdk.Buffered(1<<10), c.serve(c.makeLink))
		r.HandleFunc("DELETE "+list+"/link", manageEvents, sdk.NoBody, c.serve(c.endLinks))
		r.HandleFunc("DELETE "+list+"/{person}", manageEvents, sdk.NoBody, c.serve(c.removePerson))
		r.HandleFunc("GET "+own, signUpSelf, sdk.NoBody, c.serve(c.ownSheet))
		r.HandleFunc("POST "+own, signUpSelf, sdk.Buffered(16<<10), c.serve(c.signUpOwn))
		r.HandleFunc("DELETE "+own, signUpSelf, sdk.NoBody, c.serve(c.withdrawOwn))
	}
	r.HandleFunc("GET /events/{id}/signups/dates", manageEvents, sdk.NoBody, c.serve(c.listDates))
	r.HandleFunc("GET /services/{id}/signups/count", readEvents, sdk.NoBody, c.serve(c.countForService))
	r.HandleFunc("GET /link", signUpGuest, sdk.NoBody, c.serve(c.linked))
	r.HandleFunc("POST /link/signup", signUpGuest, sdk.Buffered(16<<10), c.serve(c.signUpByLink))
	r.HandleFunc("POST /link/withdraw", signUpGuest, sdk.Buffered(1<<10), c.serve(c.withdrawByLink))
	r.Channel(sheetsChannel, manageEvents, func(context.Context) (any, error) { return struct{}{}, nil })
	r.Every("mails", deliverEvery, func(context.Context) error { c.mails.Wake(); return nil })
}

// Stop ends the following of services, and waits for the mail that is being sent. Everything else is in the
// database.
func (c *calendar) Stop(ctx context.Context) error {
	c.stopFollowing()
	return c.mails.Stop(ctx)
}
