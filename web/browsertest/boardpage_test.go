package browsertest

import (
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"
)

// paint responds with a picture of hills under an evening sky.
func paint(w http.ResponseWriter, size string) {
	width, height, _ := strings.Cut(size, "x")
	across, _ := strconv.Atoi(width)
	down, _ := strconv.Atoi(height)
	canvas := image.NewRGBA(image.Rect(0, 0, across, down))
	for y := range down {
		for x := range across {
			shade := uint8(200 * y / down)
			c := color.RGBA{230 - shade/2, 150 - shade/2, 90 + shade/3, 255}
			if hill := down*2/3 - (x-across/3)*(across-x)/(across*2/3+1)/3; y > hill {
				c = color.RGBA{30, 60 + shade/4, 50, 255}
			}
			canvas.SetRGBA(x, y, c)
		}
	}
	w.Header().Set("Content-Type", "image/png")
	_ = png.Encode(w, canvas)
}

// slide returns a slide of the board; more replaces fields of it.
func slide(number int, title, body string, more object) object {
	s := object{
		"id": fmt.Sprintf("00000000-0000-4000-8000-%012d", number), "kind": "notice", "title": title, "body": body,
		"imageId": nil, "payload": nil, "startsAt": nil, "endsAt": nil, "position": number * 1024, "enabled": true,
		"rev": 1,
	}
	for field, value := range more {
		s[field] = value
	}
	return s
}

func timestamp(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z") }

func jsonOf(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
