package main

import (
	"net/http"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// list shows the published slides to everybody who may read, and all of them to who may write.
func (a *announcements) list(w http.ResponseWriter, r *http.Request) error {
	manages, err := a.host.Can(r.Context(), manageSlides)
	if err != nil {
		return err
	}
	// before the slides: an order that changes in between is refused later
	rev, err := a.store.orderRev(r.Context())
	if err != nil {
		return err
	}
	slides, err := a.store.list(r.Context(), manages)
	if err != nil {
		return err
	}
	return respond(w, http.StatusOK, struct {
		Slides []slide `json:"slides"`
		Rev    int64   `json:"rev"`
	}{slides, rev})
}

func (a *announcements) create(w http.ResponseWriter, r *http.Request) error {
	var draft draft
	if err := decode(r, &draft); err != nil {
		return err
	}
	if err := draft.check(); err != nil || draft.Rev != nil {
		return errRequest
	}
	created, err := a.store.create(r.Context(), &draft)
	if err != nil {
		return err
	}
	a.host.Log.Info("slide created", "user", sdk.Principal(r.Context()).UserID)
	return respond(w, http.StatusCreated, created)
}

// edit replaces the whole slide, if it still is what the writer saw.
func (a *announcements) edit(w http.ResponseWriter, r *http.Request) error {
	var draft draft
	if err := decode(r, &draft); err != nil {
		return err
	}
	if err := draft.check(); err != nil || draft.Rev == nil {
		return errRequest
	}
	id, err := slideID(r.PathValue("id"))
	if err != nil {
		return err
	}
	edited, err := a.store.edit(r.Context(), id, &draft)
	if err != nil {
		return err
	}
	return respond(w, http.StatusOK, edited)
}

func (a *announcements) remove(w http.ResponseWriter, r *http.Request) error {
	id, err := slideID(r.PathValue("id"))
	if err != nil {
		return err
	}
	if err := a.store.remove(r.Context(), id); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
