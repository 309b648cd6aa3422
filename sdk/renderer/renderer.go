// Package renderer is for plugins of the type renderer, which turn a page of the host
// into an image or a CSV file.
//
//	sdk.Serve(renderer.Plugin(chrome{}))
//
// It speaks the published service pluginextensionv2.Renderer, so that existing hosts
// and renderers understand it.
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

// Renderer is what the author writes. Errors are shown to users as sdk.Error says.
type Renderer interface {
	// Render writes an image to req.FilePath.
	Render(ctx context.Context, req *Request) error
	// RenderCSV writes a CSV file to req.FilePath and returns the name under which
	// users get it.
	RenderCSV(ctx context.Context, req *CSVRequest) (fileName string, err error)
}

// Page says what to open and as whom.
type Page struct {
	URL       string        // of the page
	FilePath  string        // where the result goes
	RenderKey string        // value of the cookie "renderKey", which signs in
	Domain    string        // of that cookie
	Timeout   time.Duration // whole seconds on the wire; 0 leaves it to the renderer
	Timezone  string        // IANA name, or ""
	Header    http.Header   // to send along, such as Accept-Language
}

// Request asks for an image.
type Request struct {
	Page
	Width, Height     int     // pixels; a height of -1 is that of the page
	DeviceScaleFactor float32 // pixels of the image for each pixel of the page
}

// CSVRequest asks for a CSV file.
type CSVRequest struct{ Page }

// Plugin makes a plugin of a renderer.
func Plugin(r Renderer) sdk.Plugin {
	return sdk.Plugin{Services: map[string]func(grpc.ServiceRegistrar){
		wire.SetRenderer: func(g grpc.ServiceRegistrar) { rendererpb.RegisterRendererServer(g, server{renderer: r}) },
	}}
}

type server struct {
	rendererpb.UnimplementedRendererServer
	renderer Renderer
}

// Render adapts the call of the protocol.
func (s server) Render(ctx context.Context, in *rendererpb.RenderRequest) (*rendererpb.RenderResponse, error) {
	err := s.renderer.Render(ctx, &Request{
		Page: Page{
			URL: in.GetUrl(), FilePath: in.GetFilePath(), RenderKey: in.GetRenderKey(), Domain: in.GetDomain(),
			Timeout: time.Duration(in.GetTimeout()) * time.Second, Timezone: in.GetTimezone(), Header: headerFromWire(in.GetHeaders()),
		},
		Width: int(in.GetWidth()), Height: int(in.GetHeight()), DeviceScaleFactor: in.GetDeviceScaleFactor(),
	})
	return &rendererpb.RenderResponse{Error: said(ctx, err)}, nil
}

// RenderCSV adapts the call of the protocol.
func (s server) RenderCSV(ctx context.Context, in *rendererpb.RenderCSVRequest) (*rendererpb.RenderCSVResponse, error) {
	name, err := s.renderer.RenderCSV(ctx, &CSVRequest{Page{
		URL: in.GetUrl(), FilePath: in.GetFilePath(), RenderKey: in.GetRenderKey(), Domain: in.GetDomain(),
		Timeout: time.Duration(in.GetTimeout()) * time.Second, Timezone: in.GetTimezone(), Header: headerFromWire(in.GetHeaders()),
	}})
	return &rendererpb.RenderCSVResponse{Error: said(ctx, err), FileName: name}, nil
}

// said is what the host learns of an error; the log gets all of it.
func said(ctx context.Context, err error) string {
	if err == nil {
		return ""
	}
	slog.ErrorContext(ctx, "rendering failed", "error", err)
	return sdk.AsError(err).Message
}

func headerFromWire(in map[string]*rendererpb.StringList) http.Header {
	h := make(http.Header, len(in))
	for name, values := range in {
		h[http.CanonicalHeaderKey(name)] = values.GetValues()
	}
	return h
}
