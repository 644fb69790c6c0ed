// Command announcements is the foyer board: the office writes notices with an optional start and end, and
// publishes them.
package main

import (
	"context"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// The permissions of module.json.
const (
	readSlides   = "announcements.slides.read"
	manageSlides = "announcements.slides.manage"
)

// announcements is the module: its routes and, once started, its store.
type announcements struct {
	host  *sdk.Host
	store *store
}

func main() { sdk.Serve(&announcements{}) }

// Register declares the routes of the board.
func (a *announcements) Register(r *sdk.Registry) error {
	r.Handle("GET /slides", readSlides, sdk.NoBody, handle(a.list))
	r.Handle("POST /slides", manageSlides, sdk.Buffered(16<<10), handle(a.create))
	r.Handle("PUT /slides/{id}", manageSlides, sdk.Buffered(16<<10), handle(a.edit))
	r.Handle("DELETE /slides/{id}", manageSlides, sdk.NoBody, handle(a.remove))
	r.Handle("PUT /slides/{id}/place", manageSlides, sdk.Buffered(1<<10), handle(a.place))
	return nil
}

// Start keeps the host; there is nothing to prepare.
func (a *announcements) Start(_ context.Context, h *sdk.Host) error {
	a.host, a.store = h, &store{db: h.DB}
	return nil
}

// Stop has nothing to end: everything is in the database.
func (a *announcements) Stop(context.Context) error { return nil }
