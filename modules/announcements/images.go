package main

import (
	"context"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// imageURLLasts is how long a browser may use the address of a picture.
const imageURLLasts = time.Hour

// upload stores a picture. It is shown once a slide names it; one that none names for a day is deleted.
func (a *announcements) upload(w http.ResponseWriter, r *http.Request) error {
	u, err := newUpload(r.Body)
	if err != nil {
		return err
	}
	if _, err := a.images.Put(r.Context(), u.objectKey, u.Type, u); err != nil {
		return stored(err)
	}
	if err := a.store.addImage(r.Context(), &u.picture); err != nil {
		a.deleteObject(r.Context(), u.objectKey)
		return err
	}
	return respond(w, http.StatusCreated, u.picture)
}

// imageURL is for people: readers see the pictures of what is published, and writers all of them.
func (a *announcements) imageURL(w http.ResponseWriter, r *http.Request) error {
	manages, err := a.host.Can(r.Context(), manageSlides)
	if err != nil {
		return err
	}
	return a.respondURL(w, r, manages)
}

// boardImageURL is for screens: the pictures of what is published.
func (a *announcements) boardImageURL(w http.ResponseWriter, r *http.Request) error {
	return a.respondURL(w, r, false)
}

// respondURL gives out the address only of an object that is there, for a screen cannot ask why a picture
// does not come.
func (a *announcements) respondURL(w http.ResponseWriter, r *http.Request, unpublished bool) error {
	p, err := a.picture(r, unpublished)
	if err != nil {
		return err
	}
	if _, err := a.images.Head(r.Context(), p.objectKey); err != nil {
		return stored(err)
	}
	url, expiresAt, err := a.images.CreateReadURL(r.Context(), p.objectKey, imageURLLasts)
	if err != nil {
		return stored(err)
	}
	return respond(w, http.StatusOK, struct {
		URL       string `json:"url"`
		ExpiresAt moment `json:"expiresAt"`
	}{url, moment(expiresAt)})
}

// original gives a picture back as it was sent.
func (a *announcements) original(w http.ResponseWriter, r *http.Request) error {
	p, err := a.picture(r, true)
	if err != nil {
		return err
	}
	_, body, err := a.images.Get(r.Context(), p.objectKey)
	if err != nil {
		return stored(err)
	}
	defer body.Close()
	w.Header().Set("Content-Type", p.Type)
	w.Header().Set("Content-Length", strconv.FormatInt(p.Bytes, 10))
	w.Header().Set("ETag", `"`+hex.EncodeToString(p.sum)+`"`)
	w.Header().Set("Content-Disposition", `attachment; filename="`+p.ID+`"`)
	_, err = io.Copy(w, body)
	return err
}

// picture is the one that the path names.
func (a *announcements) picture(r *http.Request, unpublished bool) (*picture, error) {
	id := r.PathValue("id")
	if !isID(id) {
		return nil, errNoImage
	}
	return a.store.image(r.Context(), id, unpublished)
}

// stored is a storage's error as the caller is told it. What it said of the body is the body's.
func stored(err error) error {
	switch {
	case errors.Is(err, sdk.ErrNotFound):
		return errNoImage
	case errors.Is(err, sdk.ErrUnavailable), errors.Is(err, sdk.ErrTimeout):
		return errStorage
	}
	return err
}

// deleteDropped removes the object of a picture that was dropped, if one was.
func (a *announcements) deleteDropped(ctx context.Context, key string) {
	if key != "" {
		a.deleteObject(ctx, key)
	}
}

// deleteObject removes an object that no row names any more. When it fails, the sweep finds it.
func (a *announcements) deleteObject(ctx context.Context, key string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if err := a.images.Delete(ctx, key); err != nil {
		a.host.Log.Warn("a picture was not deleted; the sweep will")
	}
}
