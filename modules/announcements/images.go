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

// imageURLLasts is how long an address of a picture is valid. It is the same for two hours, so that browsers
// keep the picture between visits.
const imageURLLasts = 6 * time.Hour

// upload stores a picture. It is shown when a slide names it. A picture that no slide names for a day is
// deleted.
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
	if err := a.sizing.Take(ctx); err == nil {
		err = a.makeSizes(ctx, &u.picture)
		a.sizing.Leave()
		if err != nil { // they are made when the picture is shown
			a.host.Log.Warn("the sizes of a picture were not made", "user", sdk.Principal(ctx).UserID)
		}
	}
	return sdk.Created(u.picture), nil
}

// imageURL is for people: readers get pictures of slides whose time has come, writers all pictures.
func (a *announcements) imageURL(ctx context.Context, r *http.Request) (any, error) {
	manages, err := a.host.Can(ctx, manageSlides)
	if err != nil {
		return nil, err
	}
	if manages {
		return a.readURL(ctx, r, writers)
	}
	return a.readURL(ctx, r, readers)
}

// boardImageURL is for screens: pictures of published slides.
func (a *announcements) boardImageURL(ctx context.Context, r *http.Request) (any, error) {
	return a.readURL(ctx, r, screens)
}

// address is where a picture, or one of its sizes, can be read.
type address struct {
	URL    string `json:"url"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
}

// addresses are those of a picture and of its sizes, the largest first, all valid until ExpiresAt.
type addresses struct {
	address
	ExpiresAt time.Time `json:"expiresAt"`
	Sizes     []address `json:"sizes"`
}

// readURL returns an address only if the object exists, because a screen cannot find out why a picture does
// not load.
func (a *announcements) readURL(ctx context.Context, r *http.Request, to audience) (any, error) {
	p, err := a.picture(r, to)
	if err != nil {
		return nil, err
	}
	if _, err := a.images.Head(ctx, p.objectKey); err != nil {
		if errors.Is(err, sdk.ErrNotFound) { // tells administrators which screen lacks it; "": a person's page
			a.host.Log.Warn("a picture is not in the storage any more", "screen", sdk.Principal(ctx).DeviceID)
		}
		return nil, stored(err)
	}
	a.sizesWanted(ctx, p)
	return a.addresses(ctx, p)
}

func (a *announcements) addresses(ctx context.Context, p *picture) (found addresses, err error) {
	found.Width, found.Height, found.Sizes = p.Width, p.Height, []address{}
	found.URL, found.ExpiresAt, err = a.images.CreateReadURL(ctx, p.objectKey, imageURLLasts, sdk.Unchanging())
	if err != nil || p.sizes == nil {
		return found, stored(err)
	}
	for _, one := range *p.sizes {
		url, expiresAt, err := a.images.CreateReadURL(ctx, sizeKey(p.objectKey, one.Width), imageURLLasts,
			sdk.Unchanging())
		if err != nil {
			return found, stored(err)
		}
		if expiresAt.Before(found.ExpiresAt) {
			found.ExpiresAt = expiresAt
		}
		found.Sizes = append(found.Sizes, address{url, one.Width, one.Height})
	}
	return found, nil
}

// original returns a picture unchanged.
func (a *announcements) original(ctx context.Context, r *http.Request) (any, error) {
	p, err := a.picture(r, writers)
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

// picture returns the picture in the path.
func (a *announcements) picture(r *http.Request, to audience) (*picture, error) {
	id, err := sdk.PathID(r, errNoImage)
	if err != nil {
		return nil, err
	}
	return a.store.image(r.Context(), id, to)
}

// stored converts an error of the storage to a refusal; a missing object is a missing picture.
func stored(err error) error {
	if errors.Is(err, sdk.ErrNotFound) {
		return errNoImage
	}
	return err
}

// deleteDropped deletes the objects of a dropped picture; "" means that there is none.
func (a *announcements) deleteDropped(ctx context.Context, key string) {
	if key != "" {
		a.deletePicture(ctx, key)
	}
}

// deletePicture deletes the object of a picture without a row, and those of all sizes that it can have.
func (a *announcements) deletePicture(ctx context.Context, key string) {
	a.deleteObject(ctx, key)
	for _, width := range sizeWidths() {
		a.deleteObject(ctx, sizeKey(key, width))
	}
}

// deleteObject deletes an object that no row names any more. If that fails, the sweep deletes it later.
func (a *announcements) deleteObject(ctx context.Context, key string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if err := a.images.Delete(ctx, key); err != nil {
		a.host.Log.Warn("a picture was not deleted; the sweep will")
	}
}
