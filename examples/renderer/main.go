// This program is the backend of a renderer that draws each line of a page's source as a
// bar. A real renderer would use a browser.
package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/sdk"
	"github.com/slipway-dev/slipway/sdk/httpclient"
	"github.com/slipway-dev/slipway/sdk/renderer"
)

func main() {
	sdk.Serve(renderer.Plugin(bars{}))
}

const (
	defaultTimeout = 30 * time.Second
	maxPixels      = 50_000_000
	rowHeight      = 4 // pixels of the page per line
)

// bars implements renderer.Renderer.
type bars struct{}

// Render writes a PNG.
func (bars) Render(ctx context.Context, req *renderer.Request) error {
	scale := req.DeviceScaleFactor
	if scale == 0 {
		scale = 1
	}
	if req.Width < 1 || req.Height < -1 || req.Height == 0 || scale < 0 || float64(req.Width)*float64(max(req.Height, 1))*float64(scale)*float64(scale) > maxPixels {
		return sdk.Downstreamf(http.StatusBadRequest, "invalid image size: %d x %d pixels at scale %g", req.Width, req.Height, scale)
	}
	lines, err := open(ctx, req.Page)
	if err != nil {
		return err
	}
	height := req.Height
	if height == -1 {
		height = min(max(len(lines), 1)*rowHeight, maxPixels/req.Width)
	}
	return write(req.FilePath, func(w io.Writer) error {
		return png.Encode(w, drawLines(lines, req.Width, height, scale))
	})
}

// RenderCSV writes the length of each line.
func (bars) RenderCSV(ctx context.Context, req *renderer.CSVRequest) (string, error) {
	lines, err := open(ctx, req.Page)
	if err != nil {
		return "", err
	}
	return "lines.csv", write(req.FilePath, func(w io.Writer) error {
		table := csv.NewWriter(w)
		for n, line := range lines {
			if err := table.Write([]string{fmt.Sprint(n + 1), fmt.Sprint(len(line))}); err != nil {
				return err
			}
		}
		table.Flush()
		return table.Error()
	})
}

// open reads the lines of a page, which it requests with the render key.
func open(ctx context.Context, p renderer.Page) ([]string, error) {
	timeout := p.Timeout
	if timeout == 0 {
		timeout = defaultTimeout
	}
	client, err := httpclient.New(httpclient.Options{URL: p.URL, Timeout: timeout, Header: p.Header})
	if err != nil {
		return nil, err
	}
	defer func() { _ = client.Close() }()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.URL, nil)
	if err != nil {
		return nil, err
	}
	req.AddCookie(&http.Cookie{Name: "renderKey", Value: p.RenderKey})
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return nil, sdk.FromStatus(resp.StatusCode, "the host responded with "+resp.Status+" to the request for the page")
	}
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	return strings.Split(string(bytes.TrimSuffix(text, []byte("\n"))), "\n"), nil
}

func drawLines(lines []string, width, height int, scale float32) image.Image {
	scaled := func(n int) int { return int(float32(n) * scale) }
	img := image.NewGray(image.Rect(0, 0, scaled(width), scaled(height)))
	draw.Draw(img, img.Bounds(), image.White, image.Point{}, draw.Src)
	for n, line := range lines {
		bar := image.Rect(0, scaled(n*rowHeight+1), scaled(min(len(line), width)), scaled((n+1)*rowHeight))
		draw.Draw(img, bar.Intersect(img.Bounds()), image.NewUniform(color.Gray{Y: 64}), image.Point{}, draw.Src)
	}
	return img
}

// write writes a file that is complete when it appears.
func write(file string, content func(io.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(file), ".rendering-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	if err := errors.Join(content(f), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), file)
}
