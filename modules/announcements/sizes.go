package main

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"runtime/debug"
	"strconv"

	"github.com/go-json-experiment/json"
	"golang.org/x/image/draw"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

const (
	// maxDecoded is how many bytes of memory the pixels of a picture may take. A larger picture has no sizes.
	// What the Dashboard sends, 1,920 pixels a side, takes less in every format.
	maxDecoded = 96 << 20
	// sizeQuality is JPEG's, for pictures that are shown smaller than a screen.
	sizeQuality = 82
)

// size is a smaller form of a picture, with its width and height in pixels.
type size struct {
	Width  int `json:"width"`
	Height int `json:"height"`
}

// sizeKey is the key of the object of a size. Keys of pictures have no dot.
func sizeKey(objectKey string, width int) string { return objectKey + "." + strconv.Itoa(width) }

// sizeWidths returns the widths of the sizes, the largest first: half of a television, a board within a page,
// a thumbnail, all with the pixels of a dense display.
func sizeWidths() []int { return []int{1280, 640, 192} }

// madeSize is a size with its content.
type madeSize struct {
	size
	kind    string
	content []byte
}

// makeSizes makes the sizes of a picture from its stored content, stores them, and notes them in its row and
// in p. The caller has the turn for it, because it takes up to 170 MiB of memory. If the row is gone, it
// deletes what it has stored. A picture of which no sizes can be made is noted to have none.
func (a *announcements) makeSizes(ctx context.Context, p *picture) error {
	content, err := a.content(ctx, *p)
	if err != nil {
		return err
	}
	made := sizesOf(content)
	debug.FreeOSMemory() // so that the next picture does not come on top of this one
	sizes := make([]size, 0, len(made))
	for _, one := range made {
		_, err := a.images.Put(ctx, sizeKey(p.objectKey, one.Width), one.kind, bytes.NewReader(one.content))
		if err != nil {
			return err
		}
		sizes = append(sizes, one.size)
	}
	width, height := p.Width, p.Height
	if config, format, err := image.DecodeConfig(bytes.NewReader(content)); err == nil {
		width, height = shownSize(config, format, content)
	}
	there, err := a.store.noteSizes(ctx, p.ID, sizes, width, height)
	if err == nil && !there {
		a.deletePicture(ctx, p.objectKey)
		return errNoImage
	}
	if err == nil {
		p.sizes, p.Width, p.Height = &sizes, width, height
	}
	return err
}

// noteSizes reports whether the picture's row is still there.
func (s *store) noteSizes(ctx context.Context, id string, sizes []size, width, height int) (bool, error) {
	noted, err := json.Marshal(sizes)
	if err != nil {
		return false, err
	}
	changed, err := s.db.Exec(ctx, `
		UPDATE images SET sizes = $2::text::jsonb, width = $3, height = $4 WHERE id = $1`,
		id, string(noted), int64(width), int64(height))
	return changed == 1, err
}

// sizesOf returns the sizes of a picture that are smaller than it, in pixels and in bytes, upright and
// without the metadata of a camera. It returns none for a picture that moves, that is turned in a way that
// browsers do not agree on, that has the colours of a press, that needs too much memory, or that is damaged:
// such pictures are shown as they are.
func sizesOf(content []byte) (made []madeSize) {
	config, format, err := image.DecodeConfig(bytes.NewReader(content))
	if err != nil || !sizable(config, format, content) {
		return nil
	}
	decoded, _, err := image.Decode(bytes.NewReader(content))
	if err != nil {
		return nil
	}
	turn := orientation(format, content)
	width, height := shownSize(config, format, content)
	from := decoded
	for _, wide := range sizeWidths() {
		high := max(1, (height*wide+width/2)/width)
		if wide >= width {
			continue
		}
		across, down := wide, high
		if turn.swaps() {
			across, down = high, wide
		}
		scaled := image.NewRGBA(image.Rect(0, 0, across, down))
		draw.CatmullRom.Scale(scaled, scaled.Bounds(), from, from.Bounds(), draw.Src, nil)
		scaled = turn.upright(scaled)
		from, turn = scaled, 1 // the next one is made from this one, which is faster
		one, err := encoded(scaled)
		if err != nil {
			return nil
		}
		if len(one.content) < len(content) {
			made = append(made, one)
		}
	}
	return made
}

// encoded writes a size as a JPEG, or as a PNG if it is transparent anywhere.
func encoded(scaled *image.RGBA) (madeSize, error) {
	bounds := scaled.Bounds()
	one := madeSize{size: size{bounds.Dx(), bounds.Dy()}, kind: "image/jpeg"}
	var file bytes.Buffer
	var err error
	if scaled.Opaque() {
		err = jpeg.Encode(&file, scaled, &jpeg.Options{Quality: sizeQuality})
	} else {
		one.kind = "image/png"
		err = png.Encode(&file, scaled)
	}
	one.content = file.Bytes()
	return one, err
}

// sizable reports whether the pixels of a picture may be decoded in this process, and whether what they show
// is what a browser shows of the picture.
func sizable(config image.Config, format string, content []byte) bool {
	each := 8 // bytes a pixel, with what decoding needs beside the result
	switch config.ColorModel {
	case color.CMYKModel:
		return false
	case color.RGBA64Model, color.NRGBA64Model, color.Gray16Model:
		each = 16
	case color.YCbCrModel, color.GrayModel:
		each = 3
	}
	switch format {
	case "jpeg":
		if jpegParts(content).progressive {
			each = 15
		}
	case "png":
		if hasPNGChunk(content, "acTL") || hasPNGChunk(content, "eXIf") {
			return false
		}
	case "webp":
		if webpIsTurned(content) { // one that moves cannot be decoded
			return false
		}
	}
	return config.Width*config.Height*each <= maxDecoded
}

// sizesWanted makes the sizes of a picture that was uploaded before there were any, or by an import. If
// another picture has the turn, or if it fails, the picture is shown in its own size this time.
func (a *announcements) sizesWanted(ctx context.Context, p *picture) {
	if p.sizes != nil {
		return
	}
	if !a.sizing.TryTake() {
		return
	}
	defer a.sizing.Leave()
	if err := a.makeSizes(ctx, p); err != nil {
		a.host.Log.Warn("the sizes of a picture were not made", "user", sdk.Principal(ctx).UserID)
	}
}
