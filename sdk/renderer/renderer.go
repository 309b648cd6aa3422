// Package renderer supports plugins of the type renderer, which render pages of the
// host as images and CSV files.
//
//	sdk.Serve(renderer.Plugin(chrome{}))
//
// It implements the published service pluginextensionv2.Renderer, which existing hosts
// call.
package renderer

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"google.golang.org/grpc"

	"github.com/slipway-dev/slipway/internal/wire"
	"github.com/slipway-dev/slipway/internal/wire/rendererpb"
	"github.com/slipway-dev/slipway/sdk"
)

// Renderer renders pages. Users see its errors; see [sdk.Error].
type Renderer interface {
	// Render writes an image to req.FilePath.
	Render(ctx context.Context, req *Request) error
	// RenderCSV writes a CSV file to req.FilePath and returns the file's name for users.
	RenderCSV(ctx context.Context, req *CSVRequest) (fileName string, err error)
}

// Page is a page to render.
type Page struct {
	URL       string
	FilePath  string        // of the result
	RenderKey string        // value of the cookie renderKey, which authenticates the request
	Domain    string        // of that cookie
	Timeout   time.Duration // whole seconds; 0 means the default of the renderer
	Timezone  string        // name in the IANA database, or ""
	Header    http.Header   // of the request for the page, such as Accept-Language
}

// Request is a request for an image.
type Request struct {
	Page
	Width, Height     int     // in pixels; a height of -1 means that of the page
	DeviceScaleFactor float32 // pixels of the image per pixel of the page
}

// CSVRequest is a request for a CSV file.
type CSVRequest struct{ Page }

// Plugin returns a plugin that serves r.
func Plugin(r Renderer) sdk.Plugin {
	return sdk.Plugin{Services: map[string]func(grpc.ServiceRegistrar){
		wire.SetRenderer: func(g grpc.ServiceRegistrar) { rendererpb.RegisterRendererServer(g, server{renderer: r}) },
	}}
}

type server struct {
	rendererpb.UnimplementedRendererServer
	renderer Renderer
}

// Render implements rendererpb.RendererServer.
func (s server) Render(ctx context.Context, in *rendererpb.RenderRequest) (*rendererpb.RenderResponse, error) {
	err := s.renderer.Render(ctx, &Request{
		Page: Page{
			URL: in.GetUrl(), FilePath: in.GetFilePath(), RenderKey: in.GetRenderKey(), Domain: in.GetDomain(),
			Timeout: time.Duration(in.GetTimeout()) * time.Second, Timezone: in.GetTimezone(), Header: headerFromWire(in.GetHeaders()),
		},
		Width: int(in.GetWidth()), Height: int(in.GetHeight()), DeviceScaleFactor: in.GetDeviceScaleFactor(),
	})
	return &rendererpb.RenderResponse{Error: messageOf(ctx, err)}, nil
}

// RenderCSV implements rendererpb.RendererServer.
func (s server) RenderCSV(ctx context.Context, in *rendererpb.RenderCSVRequest) (*rendererpb.RenderCSVResponse, error) {
	name, err := s.renderer.RenderCSV(ctx, &CSVRequest{Page{
		URL: in.GetUrl(), FilePath: in.GetFilePath(), RenderKey: in.GetRenderKey(), Domain: in.GetDomain(),
		Timeout: time.Duration(in.GetTimeout()) * time.Second, Timezone: in.GetTimezone(), Header: headerFromWire(in.GetHeaders()),
	}})
	return &rendererpb.RenderCSVResponse{Error: messageOf(ctx, err), FileName: name}, nil
}

// messageOf logs an error and returns its message for users.
func messageOf(ctx context.Context, err error) string {
	if err == nil {
		return ""
	}
	slog.ErrorContext(ctx, "render page", "error", err)
	return sdk.AsError(err).Message
}

func headerFromWire(in map[string]*rendererpb.StringList) http.Header {
	h := make(http.Header, len(in))
	for name, values := range in {
		h[http.CanonicalHeaderKey(name)] = values.GetValues()
	}
	return h
}
