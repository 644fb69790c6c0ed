// Command stage is a module for leading a service. Planners write the order of service and the words of
// songs, one person drives it from a phone, and screens show the words, what comes next and the remaining
// time.
package main

import (
	"context"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// The permissions of module.json.
const (
	readPlan    = "stage.plan.read"
	editPlan    = "stage.plan.edit"
	controlLive = "stage.live.control"
	viewDisplay = "stage.display.view"
)

// stage is the module with its routes and, once started, their dependencies.
type stage struct {
	host  *sdk.Host
	store *store
	turn  sdk.Turn
}

func main() { sdk.Serve(&stage{}) }

// Register declares the routes, the channels and the capability.
func (s *stage) Register(r *sdk.Registry) error {
	r.HandleFunc("GET /services", readPlan, sdk.NoBody, s.listServices)
	r.HandleFunc("POST /services", editPlan, sdk.Buffered(32<<10), s.createService)
	r.HandleFunc("GET /services/{id}", readPlan, sdk.NoBody, s.readService)
	r.HandleFunc("GET /services/{id}/sheet", readPlan, sdk.NoBody, s.readSheet)
	r.HandleFunc("PUT /services/{id}", editPlan, sdk.Buffered(32<<10), s.editService)
	r.HandleFunc("DELETE /services/{id}", editPlan, sdk.NoBody, s.removeService)
	r.HandleFunc("POST /services/{id}/restore", editPlan, sdk.Buffered(1<<10), s.restoreService)
	r.HandleFunc("POST /services/{id}/items", editPlan, sdk.Buffered(32<<10), s.createItem)
	r.HandleFunc("POST /services/{id}/copy", editPlan, sdk.Buffered(1<<10), s.copyItems)
	r.HandleFunc("PUT /items/{id}", editPlan, sdk.Buffered(32<<10), s.editItem)
	r.HandleFunc("PUT /items/{id}/place", editPlan, sdk.Buffered(1<<10), s.placeItem)
	r.HandleFunc("DELETE /items/{id}", editPlan, sdk.NoBody, s.removeItem)
	songs := s.collectSongs()
	songs.Register(r)
	r.HandleFunc("POST /songs/import", editPlan, sdk.Streamed(maxSongImport), s.importSongs)
	r.HandleFunc("GET /export/songs", editPlan, sdk.NoBody, s.exportSongs)
	r.HandleFunc("GET /export", editPlan, sdk.NoBody, s.exportAll)
	r.HandleFunc("POST /import", editPlan, sdk.Streamed(maxImport), s.importAll)
	r.HandleFunc("GET /imports", editPlan, sdk.NoBody, s.listImports)
	r.HandleFunc("DELETE /imports/{id}", editPlan, sdk.NoBody, s.undoImport)
	r.HandleFunc("GET /live", controlLive, sdk.NoBody, s.readLive)
	r.HandleFunc("POST /live/{id}/go", controlLive, sdk.Buffered(2<<10), s.press)
	r.HandleFunc("POST /live/{id}/take", controlLive, sdk.Buffered(2<<10), s.take)
	r.Probe("GET /services")
	r.Channel(plansChannel, readPlan, s.plansSnapshot)
	r.Channel(screenChannel, viewDisplay, s.screenSnapshot)
	r.Channel(controlChannel, controlLive, s.controlSnapshot)
	r.PersonErased(s.forget)
	r.PersonExport(s.exportPerson)
	r.Every("old-presses", time.Hour, s.forgetPresses)
	r.Every("cancelled", time.Hour, s.forgetCancelled)
	r.Every("imports", time.Hour, s.forgetImports)
	r.Provide("stage.services", sdk.Methods{"upcoming": sdk.Func(s.upcoming), "service": sdk.Func(s.service),
		"states": sdk.Func(s.states), "changed": sdk.Func(s.changed), "create": sdk.Func(s.createFor),
		"edit": sdk.Func(s.editFor), "cancel": sdk.Func(s.cancelFor), "restore": sdk.Func(s.restoreFor)})
	return nil
}

// Start keeps the host.
func (s *stage) Start(_ context.Context, h *sdk.Host) error {
	s.host, s.store, s.turn = h, &store{db: h.DB}, sdk.NewTurn()
	return nil
}

// Stop has nothing to end: everything is in the database.
func (s *stage) Stop(context.Context) error { return nil }
