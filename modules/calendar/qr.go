package main

import (
	"fmt"
	"strings"

	"rsc.io/qr"
)

// qrCode is a QR code as an SVG path of its dark modules, one unit each, in a square of size units.
type qrCode struct {
	Size int    `json:"size"`
	Path string `json:"path"`
}

// drawQR draws an address for a phone's camera. Level M tolerates a crease and keeps the modules large.
func drawQR(address string) (qrCode, error) {
	code, err := qr.Encode(address, qr.M)
	if err != nil {
		return qrCode{}, err
	}
	var path strings.Builder
	for y := range code.Size {
		for x := 0; x < code.Size; x++ {
			from := x
			for x < code.Size && code.Black(x, y) {
				x++
			}
			if x > from {
				fmt.Fprintf(&path, "M%d %dh%dv1H%dz", from, y, x-from, from)
			}
		}
	}
	return qrCode{code.Size, path.String()}, nil
}
