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
	draft.writer = sdk.Principal(r.Context()).UserID
	var created *slide
	err := a.change(r.Context(), func(tx *sdk.Tx) (told update, err error) {
		if created, err = create(r.Context(), tx, &draft); err == nil {
			told = onBoard(created)
		}
		return told, err
	})
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
	draft.writer = sdk.Principal(r.Context()).UserID
	id, err := slideID(r.PathValue("id"))
	if err != nil {
		return err
	}
	var edited *slide
	dropped := ""
	err = a.change(r.Context(), func(tx *sdk.Tx) (told update, err error) {
		if edited, dropped, err = edit(r.Context(), tx, id, &draft); err == nil {
			told = onBoard(edited)
		}
		return told, err
	})
	if err != nil {
		return err
	}
	a.deleteDropped(r.Context(), dropped)
	return respond(w, http.StatusOK, edited)
}

func (a *announcements) remove(w http.ResponseWriter, r *http.Request) error {
	id, err := slideID(r.PathValue("id"))
	if err != nil {
		return err
	}
	dropped := ""
	err = a.change(r.Context(), func(tx *sdk.Tx) (update, error) {
		dropped, err = remove(r.Context(), tx, id)
		return update{Remove: []string{id}}, err
	})
	if err != nil {
		return err
	}
	a.deleteDropped(r.Context(), dropped)
	w.WriteHeader(http.StatusNoContent)
	return nil
}
