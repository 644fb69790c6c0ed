// Command announcements is the foyer board: the office writes notices with a picture, an optional start and
// an optional end, and publishes them. Screens and the Dashboard follow the board live.
package main

import (
	"context"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// The permissions of module.json.
const (
	readSlides   = "announcements.slides.read"
	manageSlides = "announcements.slides.manage"
	viewDisplay  = "announcements.display.view"
)

// The channels carry the same. A permission opens each: screens hold the display's, people the reader's.
const (
	boardChannel   = "board"
	noticesChannel = "notices"
)

// announcements is the module: its routes and, once started, what they work with.
type announcements struct {
	host   *sdk.Host
	store  *store
	images *sdk.Bucket
	turn   turn
	sweeps sweeps
}

func main() { sdk.Serve(&announcements{}) }

// Register declares the routes and channels of the board.
func (a *announcements) Register(r *sdk.Registry) error {
	r.Handle("GET /slides", readSlides, sdk.NoBody, handle(a.list))
	r.Handle("POST /slides", manageSlides, sdk.Buffered(16<<10), handle(a.create))
	r.Handle("PUT /slides/{id}", manageSlides, sdk.Buffered(16<<10), handle(a.edit))
	r.Handle("DELETE /slides/{id}", manageSlides, sdk.NoBody, handle(a.remove))
	r.Handle("PUT /slides/{id}/place", manageSlides, sdk.Buffered(1<<10), handle(a.place))
	r.Handle("POST /slides/{id}/show", manageSlides, sdk.Buffered(1<<10), handle(a.show))
	r.Handle("DELETE /slides/{id}/show", manageSlides, sdk.NoBody, handle(a.endShow))
	r.Handle("POST /images", manageSlides, sdk.Streamed(maxImage), handle(a.upload))
	r.Handle("GET /images/{id}", manageSlides, sdk.NoBody, handle(a.original))
	r.Handle("GET /images/{id}/url", readSlides, sdk.NoBody, handle(a.imageURL))
	r.Handle("GET /board/images/{id}/url", viewDisplay, sdk.NoBody, handle(a.boardImageURL))
	r.Channel(boardChannel, viewDisplay, a.snapshot)
	r.Channel(noticesChannel, readSlides, a.snapshot)
	r.PersonErased(a.forget)
	r.PersonExport(a.export)
	return nil
}

// Start keeps the host and begins to look for pictures that nobody uses.
func (a *announcements) Start(_ context.Context, h *sdk.Host) error {
	a.host, a.store, a.images = h, &store{db: h.DB}, h.Storage.Bucket("images")
	a.turn = newTurn()
	a.sweeps.begin(a.sweepIfDue)
	return nil
}

// Stop ends the sweep; everything else is in the database. Twice is fine, and so is after a partial Start.
func (a *announcements) Stop(ctx context.Context) error { return a.sweeps.end(ctx) }
