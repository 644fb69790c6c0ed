// Command announcements is the board in the foyer. The office writes slides with a picture, an optional start
// and an optional end, and publishes them. Screens and the Dashboard show the board live.
package main

import (
	"context"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// The permissions of module.json.
const (
	readSlides   = "announcements.slides.read"
	manageSlides = "announcements.slides.manage"
	viewDisplay  = "announcements.display.view"
)

// The channels have the same content, slides whose time has not come among it, but different permissions:
// screens hold the display's, people the writer's.
const (
	boardChannel   = "board"
	noticesChannel = "notices"
)

// announcements is the module with its routes and, once started, their dependencies.
type announcements struct {
	host   *sdk.Host
	store  *store
	images *sdk.Bucket
	// changes are those of the board.
	changes *sdk.Changes
	// importing is taken by the import that has a picture in memory.
	importing sdk.Turn
	// sizing is taken by the picture whose sizes are being made: its pixels are in memory.
	sizing sdk.Turn

	sweptTo string // only for the sweep: where the last one stopped because of its deadline
}

func main() { sdk.Serve(&announcements{}) }

// Register declares the routes and channels of the board.
func (a *announcements) Register(r *sdk.Registry) error {
	r.HandleFunc("GET /slides", readSlides, sdk.NoBody, a.list)
	r.HandleFunc("GET /latest", readSlides, sdk.NoBody, a.latest)
	r.Feed("GET /notices.atom", readSlides, "application/atom+xml", a.feed)
	r.HandleFunc("POST /slides", manageSlides, sdk.Buffered(16<<10), a.create)
	r.HandleFunc("PUT /slides/{id}", manageSlides, sdk.Buffered(16<<10), a.edit)
	r.HandleFunc("DELETE /slides/{id}", manageSlides, sdk.NoBody, a.remove)
	r.HandleFunc("GET /slides/{id}/writer", manageSlides, sdk.NoBody, a.writer)
	r.HandleFunc("PUT /slides/{id}/place", manageSlides, sdk.Buffered(1<<10), a.place)
	r.HandleFunc("POST /slides/{id}/show", manageSlides, sdk.Buffered(1<<10), a.show)
	r.HandleFunc("DELETE /slides/{id}/show", manageSlides, sdk.NoBody, a.endShow)
	r.HandleFunc("POST /images", manageSlides, sdk.Streamed(maxImage), a.upload)
	r.HandleFunc("GET /images/{id}", manageSlides, sdk.NoBody, a.original)
	r.HandleFunc("GET /images/{id}/url", readSlides, sdk.NoBody, a.imageURL)
	r.HandleFunc("GET /board/images/{id}/url", viewDisplay, sdk.NoBody, a.boardImageURL)
	r.HandleFunc("GET /export", manageSlides, sdk.NoBody, a.exportAll)
	r.HandleFunc("POST /import", manageSlides, sdk.Streamed(maxExchange), a.importAll)
	r.HandleFunc("GET /imports", manageSlides, sdk.NoBody, a.listImports)
	r.HandleFunc("DELETE /imports/{id}", manageSlides, sdk.NoBody, a.undoImport)
	r.Probe("GET /slides")
	r.Provide("announcements.slides", sdk.Methods{
		// whoever depends on the slides of the board asks by it whether this module runs
		"present": sdk.Func(func(context.Context, any) (any, error) { return nil, nil }),
		"follow":  sdk.Func(a.follow),
	})
	r.Channel(boardChannel, viewDisplay, a.snapshot)
	r.Channel(noticesChannel, manageSlides, a.snapshot)
	r.Every("unused-images", sweepEvery, a.sweepUnused)
	r.Every("imports", time.Hour, a.forgetImports)
	r.PersonErased(a.forget)
	r.PersonExport(a.export)
	return nil
}

// Start stores the host.
func (a *announcements) Start(_ context.Context, h *sdk.Host) error {
	a.host, a.store, a.images = h, &store{db: h.DB}, h.Storage.Bucket("images")
	a.changes = h.Changes(`UPDATE board SET rev = rev + 1 RETURNING rev`)
	a.importing, a.sizing = sdk.NewTurn(), sdk.NewTurn()
	return nil
}

// Stop has nothing to end: everything is in the database.
func (a *announcements) Stop(context.Context) error { return nil }
