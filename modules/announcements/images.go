package main

import (
	"context"
	"encoding/hex"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// imageURLLasts is how long a browser may use the address of a picture.
const imageURLLasts = time.Hour

// upload stores a picture. It is shown once a slide names it; one that none names for a day is deleted.
func (a *announcements) upload(ctx context.Context, r *http.Request) (any, error) {
	u, err := newUpload(r.Body)
	if err != nil {
		return nil, err
	}
	if _, err := a.images.Put(ctx, u.objectKey, u.Type, u); err != nil {
		return nil, stored(err)
	}
	if err := addImage(ctx, a.store.db, &u.picture); err != nil {
		a.deleteObject(ctx, u.objectKey)
		return nil, err
	}
	return sdk.Created(u.picture), nil
}

// imageURL is for people: readers see the pictures of what is published, and writers all of them.
func (a *announcements) imageURL(ctx context.Context, r *http.Request) (any, error) {
	manages, err := a.host.Can(ctx, manageSlides)
	if err != nil {
		return nil, err
	}
	return a.readURL(ctx, r, manages)
}

// boardImageURL is for screens: the pictures of what is published.
func (a *announcements) boardImageURL(ctx context.Context, r *http.Request) (any, error) {
	return a.readURL(ctx, r, false)
}

// readURL gives out the address only of an object that is there, for a screen cannot ask why a picture
// does not come.
func (a *announcements) readURL(ctx context.Context, r *http.Request, unpublished bool) (any, error) {
	p, err := a.picture(r, unpublished)
	if err != nil {
		return nil, err
	}
	if _, err := a.images.Head(ctx, p.objectKey); err != nil {
		if errors.Is(err, sdk.ErrNotFound) { // administrators are told which screen lacks it; "": a person's page
			a.host.Log.Warn("a picture is not in the storage any more", "screen", sdk.Principal(ctx).DeviceID)
		}
		return nil, stored(err)
	}
	url, expiresAt, err := a.images.CreateReadURL(ctx, p.objectKey, imageURLLasts)
	if err != nil {
		return nil, stored(err)
	}
	return struct {
		URL       string    `json:"url"`
		ExpiresAt time.Time `json:"expiresAt"`
	}{url, expiresAt}, nil
}

// original gives a picture back as it was sent.
func (a *announcements) original(ctx context.Context, r *http.Request) (any, error) {
	p, err := a.picture(r, true)
	if err != nil {
		return nil, err
	}
	_, body, err := a.images.Get(ctx, p.objectKey)
	if err != nil {
		return nil, stored(err)
	}
	return sdk.Response{Body: body, Header: http.Header{
		"Content-Type":        {p.Type},
		"Content-Length":      {strconv.FormatInt(p.Bytes, 10)},
		"Etag":                {`"` + hex.EncodeToString(p.sum) + `"`},
		"Content-Disposition": {`attachment; filename="` + p.ID + `"`},
	}}, nil
}

// picture is the one that the path names.
func (a *announcements) picture(r *http.Request, unpublished bool) (*picture, error) {
	id := r.PathValue("id")
	if !isID(id) {
		return nil, errNoImage
	}
	return a.store.image(r.Context(), id, unpublished)
}

// stored is a storage's error as the caller is told it: an object that is not there is a picture.
func stored(err error) error {
	if errors.Is(err, sdk.ErrNotFound) {
		return errNoImage
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
