package main

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/sdktest"
)

// chunk is a part of a PNG, without a valid checksum.
func chunk(name string, length int) string {
	head := binary.BigEndian.AppendUint32(nil, uint32(length))
	return string(head) + name + strings.Repeat("x", length+4)
}

// frame is a frame of a GIF, with colours of its own, and with a comment before it.
const frame = "\x21\xfe\x02ab\x00" + "\x2c\x00\x00\x00\x00\x01\x00\x01\x00\x80abcdef\x02\x01x\x00"

const (
	gifHead = "GIF89a\x01\x00\x01\x00\x80\x00\x00abcdef"
	pngHead = "\x89PNG\r\n\x1a\n"
	heic    = "\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic"
)

// TestPicturesThatNoBoardShows: a picture that moves, and one of a phone, are refused with a reason of their
// own, wherever they are cut off.
func TestPicturesThatNoBoardShows(t *testing.T) {
	t.Parallel()
	m := sdktest.Start(t, &announcements{}, sdktest.Options{})
	office := m.Person(manageSlides)
	still := pngOf(t, 3, 3)
	const size = len(pngHead) + 25 // the signature and the chunk IHDR
	moving := still[:size] + chunk("acTL", 8) + still[size:]
	for name, c := range map[string]struct{ content, code string }{
		"HEIC":                           {heic, "IMAGE_OF_A_PHONE"},
		"HEIF":                           {strings.Replace(heic, "heic", "mif1", 1), "IMAGE_OF_A_PHONE"},
		"AVIF":                           {strings.ReplaceAll(heic, "heic", "avif"), "IMAGE_INVALID"},
		"a GIF with two frames":          {gifHead + frame + frame + ";", "IMAGE_MOVES"},
		"a GIF with one":                 {gifHead + frame + ";", "IMAGE_INVALID"},
		"a PNG that moves":               {moving, "IMAGE_MOVES"},
		"a PNG that moves, much later":   {still[:size] + chunk("iCCP", 9000) + moving[size:], "IMAGE_MOVES"},
		"a PNG with a chunk out of it":   {pngHead + "\xff\xff\xff\xffIHDR", "IMAGE_INVALID"},
		"a WebP that moves":              {"RIFF\x00\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x02", "IMAGE_MOVES"},
		"a WebP that does not, cut off":  {"RIFF\x00\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x10", "IMAGE_INVALID"},
		"the beginning of a phone's one": {heic[:11], "IMAGE_INVALID"},
	} {
		if got := send(office, strings.NewReader(c.content)); got.Status != 400 ||
			got.Body != `{"code":"`+c.code+`"}` {
			t.Errorf("uploading %s: %s, want 400 %s", name, got, c.code)
		}
	}
	if got := send(office, strings.NewReader(still)); got.Status != 201 {
		t.Errorf("uploading a PNG: %s, want 201", got)
	}
}

// FuzzPictureKind: every beginning of a file has a kind or none.
func FuzzPictureKind(f *testing.F) {
	for _, content := range []string{heic, gifHead + frame + frame, pngHead + chunk("acTL", 8), webp} {
		f.Add([]byte(content))
	}
	f.Fuzz(func(_ *testing.T, content []byte) {
		_ = refusalOf(content)
		_, _ = newUpload(bytes.NewReader(content))
	})
}
