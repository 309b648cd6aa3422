package check

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/png"
)

const (
	// tolerance is the part of what is drawn that may differ, as edges do in other versions of a browser.
	tolerance = 0.01
	// maxShade is how much of 65535 a color may differ in each channel.
	maxShade = 0x2000
)

// compare returns how many pixels differ visibly, as a part of those that are not background in either picture, as a
// label is a small part. In marked, which is nil for the same files, they are red, and the others pale.
func compare(kept, now []byte) (difference float64, marked image.Image, err error) {
	if bytes.Equal(kept, now) {
		return 0, nil, nil
	}
	a, err := png.Decode(bytes.NewReader(kept))
	if err != nil {
		return 0, nil, err
	}
	b, err := png.Decode(bytes.NewReader(now))
	if err != nil {
		return 0, nil, err
	}
	if a.Bounds() != b.Bounds() {
		return 0, nil, errors.New("the picture has another size")
	}
	marks := image.NewRGBA(b.Bounds())
	background := mostFrequent(a)
	differ, drawn := 0, 0
	for y := a.Bounds().Min.Y; y < a.Bounds().Max.Y; y++ {
		for x := a.Bounds().Min.X; x < a.Bounds().Max.X; x++ {
			p, q := a.At(x, y), b.At(x, y)
			if !isAlike(p, background) || !isAlike(q, background) {
				drawn++
			}
			gray, _ := color.GrayModel.Convert(q).(color.Gray)
			marks.Set(x, y, color.Gray{Y: 0xc0 + gray.Y/4})
			if !isAlike(p, q) {
				differ++
				marks.Set(x, y, color.RGBA{R: 0xd0, A: 0xff})
			}
		}
	}
	return float64(differ) / float64(max(drawn, 1)), marks, nil
}

func mostFrequent(picture image.Image) color.Color {
	counts := map[color.Color]int{}
	var most color.Color = color.Black
	for y := picture.Bounds().Min.Y; y < picture.Bounds().Max.Y; y++ {
		for x := picture.Bounds().Min.X; x < picture.Bounds().Max.X; x++ {
			c := picture.At(x, y)
			if counts[c]++; counts[c] > counts[most] {
				most = c
			}
		}
	}
	return most
}

func isAlike(a, b color.Color) bool {
	r, g, bl, _ := a.RGBA()
	r2, g2, bl2, _ := b.RGBA()
	for _, pair := range [][2]uint32{{r, r2}, {g, g2}, {bl, bl2}} {
		if max(pair[0], pair[1])-min(pair[0], pair[1]) > maxShade {
			return false
		}
	}
	return true
}
