package main

import (
	"bytes"
	"encoding/binary"
	"image"
)

// turning is how a camera was held, 1 to 8 as in Exif 2.32; 1 is upright. Browsers turn a JPEG by it.
type turning int

// swaps reports whether a picture lies on its side, so that its width is shown as its height.
func (t turning) swaps() bool { return t >= 5 }

// upright returns the picture as it is shown.
func (t turning) upright(from *image.RGBA) *image.RGBA {
	if t == 1 {
		return from
	}
	width, height := from.Bounds().Dx(), from.Bounds().Dy()
	across, down := width, height
	if t.swaps() {
		across, down = height, width
	}
	to := image.NewRGBA(image.Rect(0, 0, across, down))
	for y := range down {
		for x := range across {
			fromX, fromY := x, y
			if t.swaps() {
				fromX, fromY = y, x
			}
			if t == 2 || t == 3 || t == 7 || t == 8 {
				fromX = width - 1 - fromX
			}
			if t == 3 || t == 4 || t == 6 || t == 7 {
				fromY = height - 1 - fromY
			}
			to.SetRGBA(x, y, from.RGBAAt(fromX, fromY))
		}
	}
	return to
}

// orientation returns how a picture is turned; of formats other than JPEG it is not read.
func orientation(format string, content []byte) turning {
	if format != "jpeg" {
		return 1
	}
	return jpegParts(content).turned
}

// shownSize returns the width and height of a picture as browsers show it. The beginning of the content, to
// the picture's size, is enough.
func shownSize(config image.Config, format string, content []byte) (width, height int) {
	if orientation(format, content).swaps() {
		return config.Height, config.Width
	}
	return config.Width, config.Height
}

// parts are what a JPEG says before its pixels.
type parts struct {
	progressive bool
	turned      turning
}

// Markers of JPEG (ITU-T T.81, B.1.1).
const (
	markerSOF2 = 0xc2
	markerSOS  = 0xda
	markerAPP1 = 0xe1
)

func jpegParts(content []byte) parts {
	found := parts{turned: 1}
	exif := false
	for at := 2; at+4 <= len(content) && content[at] == 0xff; {
		marker := content[at+1]
		if marker == 0xff { // a fill byte
			at++
			continue
		}
		end := at + 2 + int(binary.BigEndian.Uint16(content[at+2:]))
		if marker == markerSOS || end > len(content) {
			break
		}
		switch segment := content[min(at+4, end):end]; {
		case marker == markerSOF2:
			found.progressive = true
		case marker == markerAPP1 && !exif && bytes.HasPrefix(segment, []byte("Exif\x00\x00")):
			exif, found.turned = true, exifTurning(segment[6:])
		}
		at = max(end, at+4)
	}
	return found
}

// exifTurning reads the orientation in a TIFF header's first directory; 1 if it is absent or wrong.
func exifTurning(tiff []byte) turning {
	const orientationTag, entryBytes = 0x0112, 12
	var order binary.ByteOrder = binary.BigEndian
	if bytes.HasPrefix(tiff, []byte("II")) {
		order = binary.LittleEndian
	}
	if len(tiff) < 10 {
		return 1
	}
	directory := int(order.Uint32(tiff[4:]))
	if directory < 8 || directory > len(tiff)-2 {
		return 1
	}
	entries := tiff[directory+2:]
	for range order.Uint16(tiff[directory:]) {
		if len(entries) < entryBytes {
			return 1
		}
		if order.Uint16(entries) == orientationTag {
			if value := turning(order.Uint16(entries[8:])); value >= 1 && value <= 8 {
				return value
			}
			return 1
		}
		entries = entries[entryBytes:]
	}
	return 1
}

// hasPNGChunk looks for a chunk by its type: "acTL" for pictures that move, "eXIf" for a camera's notes.
func hasPNGChunk(content []byte, kind string) bool {
	const head, check = 8, 4
	for at := 8; at+head <= len(content); {
		if string(content[at+4:at+head]) == kind {
			return true
		}
		at += head + int(binary.BigEndian.Uint32(content[at:])) + check
	}
	return false
}

// webpIsTurned reports whether a WebP has a camera's notes, by which some browsers turn it.
func webpIsTurned(content []byte) bool {
	const exifBit = 1 << 3
	return len(content) > 20 && string(content[12:16]) == "VP8X" && content[20]&exifBit != 0
}
