package main

import (
	"bytes"
	"encoding/binary"
)

// refusalOf returns why a picture that can otherwise be read, or not, is refused: it moves, and a board would
// show its first frame alone; or it is of a phone that writes HEIC, which browsers cannot show. head is the
// beginning of the file. nil: neither.
func refusalOf(head []byte) error {
	switch {
	case isPhonePicture(head):
		return errImagePhone
	case bytes.HasPrefix(head, []byte("GIF8")) && framesOfGIF(head) > 1, isMovingPNG(head), isMovingWebP(head):
		return errImageMoving
	}
	return nil
}

// isPhonePicture reports whether a file has a brand of HEIC or HEIF (ISO/IEC 23008-12).
func isPhonePicture(head []byte) bool {
	if len(head) < 12 || string(head[4:8]) != "ftyp" {
		return false
	}
	switch string(head[8:12]) {
	case "heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs", "mif1", "msf1":
		return true
	}
	return false
}

// isMovingPNG reports whether a PNG has the chunk acTL before its pixels.
func isMovingPNG(head []byte) bool {
	if !bytes.HasPrefix(head, []byte("\x89PNG\r\n\x1a\n")) {
		return false
	}
	for rest := head[8:]; len(rest) >= 8; {
		switch string(rest[4:8]) {
		case "acTL":
			return true
		case "IDAT":
			return false
		}
		next := 12 + uint64(binary.BigEndian.Uint32(rest))
		if next > uint64(len(rest)) {
			return false
		}
		rest = rest[next:]
	}
	return false
}

// isMovingWebP reports whether an extended WebP has the bit for an animation.
func isMovingWebP(head []byte) bool {
	return len(head) > 20 && string(head[:4]) == "RIFF" && string(head[8:16]) == "WEBPVP8X" && head[20]&2 != 0
}

// framesOfGIF counts the frames of a GIF, up to two (GIF89a, 17 to 26). Where a file is cut off, the count
// ends.
func framesOfGIF(head []byte) (frames int) {
	at := func(n int) int {
		if n < len(head) {
			return int(head[n])
		}
		return 0
	}
	colours := func(flags int) int {
		if flags&0x80 == 0 {
			return 0
		}
		return 3 << (flags&7 + 1)
	}
	afterBlocks := func(n int) int { // each begins with its length, the last one is empty
		for at(n) > 0 {
			n += at(n) + 1
		}
		return n + 1
	}
	for n := 13 + colours(at(10)); n < len(head) && frames < 2; {
		switch head[n] {
		case 0x21:
			n = afterBlocks(n + 2)
		case 0x2c:
			frames++
			n = afterBlocks(n + 11 + colours(at(n+9)))
		default:
			return frames
		}
	}
	return frames
}
