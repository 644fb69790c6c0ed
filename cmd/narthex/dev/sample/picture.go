package sample

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"math"
)

// welcomePicture draws an open door at dusk with light coming out of it, so that no licence is needed.
func welcomePicture() ([]byte, error) {
	const width, height = 1600, 900
	canvas := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			canvas.SetRGBA(x, y, duskAt(float64(x)/height, float64(y)/height))
		}
	}
	var file bytes.Buffer
	err := jpeg.Encode(&file, canvas, &jpeg.Options{Quality: 88})
	return file.Bytes(), err
}

// duskAt returns the colour of a point; x is from 0 to 16/9, y from 0 at the top to 1.
func duskAt(x, y float64) color.RGBA {
	const middle, ground = 8.0 / 9, 0.78
	wall := 0.62 - 0.5*math.Abs(x-middle) // highest in the middle, as a gable
	fromDoor := math.Hypot(x-middle, math.Min(y-0.5, 0))
	switch light := math.Exp(-3 * math.Hypot(x-middle, y-0.65)); {
	case y < ground && y > 0.4 && fromDoor < 0.1: // the door: an arch over two posts
		return mixed(color.RGBA{255, 214, 140, 255}, color.RGBA{255, 244, 214, 255}, 1-fromDoor/0.1)
	case y < ground && fromDoor < 0.13 && y > 0.37:
		return color.RGBA{70, 52, 60, 255}
	case y < ground && math.Abs(x-middle) < 0.42 && y > 1-wall-0.22:
		return mixed(color.RGBA{44, 42, 66, 255}, color.RGBA{120, 88, 92, 255}, light)
	case y > ground+0.03*math.Sin(3*x): // the meadow
		return mixed(color.RGBA{18, 40, 42, 255}, color.RGBA{240, 196, 120, 255}, 0.8*light*light)
	}
	return mixed(color.RGBA{32, 38, 84, 255}, color.RGBA{240, 150, 110, 255}, math.Pow(y/ground, 1.6))
}

// mixed interpolates between two colours: part 0 is from, 1 is to.
func mixed(from, to color.RGBA, part float64) color.RGBA {
	part = math.Max(0, math.Min(1, part))
	channel := func(a, b uint8) uint8 { return uint8(float64(a) + (float64(b)-float64(a))*part) }
	return color.RGBA{channel(from.R, to.R), channel(from.G, to.G), channel(from.B, to.B), 255}
}
