package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"hash"
	"image"
	_ "image/jpeg" // for image.DecodeConfig
	_ "image/png"
	"io"
	"net/http"

	"github.com/google/uuid"
	_ "golang.org/x/image/webp"
)

// Limits of a picture.
const (
	maxImage     = 8 << 20    // bytes
	maxSide      = 8192       // pixels
	maxPixels    = 25_000_000 // a screen's small computer has to decode all of them: 100 MB
	maxImageHead = 1 << 20    // bytes before the picture's size: profiles and metadata
)

// picture is an uploaded image in the form that callers get. Width and Height are those in which browsers
// show it: in the file of a picture that lies on its side they are exchanged.
type picture struct {
	ID     string `json:"id"`
	Type   string `json:"type"`
	Bytes  int64  `json:"bytes"`
	Width  int    `json:"width"`
	Height int    `json:"height"`

	objectKey string
	sum       []byte  // SHA-256 of the bytes
	sizes     *[]size // nil: nobody has tried to make them
}

// upload is a picture whose bytes are not read yet.
type upload struct {
	picture
	rest io.Reader
	hash hash.Hash
}

// newUpload recognizes the type by the content: JPEG, PNG or WebP. It refuses pictures with more pixels than
// a screen can show, and those that move. The sender's Content-Type is ignored.
func newUpload(body io.Reader) (*upload, error) {
	head, err := io.ReadAll(io.LimitReader(body, maxImageHead))
	if tooLong := (*http.MaxBytesError)(nil); errors.As(err, &tooLong) {
		return nil, err
	}
	if refused := refusalOf(head); err == nil && refused != nil {
		return nil, refused
	}
	config, format, failed := image.DecodeConfig(bytes.NewReader(head))
	if err != nil || failed != nil || min(config.Width, config.Height) < 1 ||
		max(config.Width, config.Height) > maxSide || config.Width*config.Height > maxPixels {
		return nil, errImage
	}
	id := uuid.NewString()
	u := &upload{hash: sha256.New()}
	width, height := shownSize(config, format, head)
	u.picture = picture{ID: id, Type: "image/" + format, Width: width, Height: height, objectKey: id}
	u.rest = io.TeeReader(io.MultiReader(bytes.NewReader(head), body), u.hash)
	return u, nil
}

// Read reads the picture from its beginning.
func (u *upload) Read(p []byte) (int, error) {
	n, err := u.rest.Read(p)
	u.Bytes += int64(n)
	if err == io.EOF {
		u.sum = u.hash.Sum(nil)
	}
	return n, err
}
