package backend

import (
	"context"
	"net/http"
	"time"

	"google.golang.org/grpc"

	"github.com/slipway-dev/slipway/internal/wire/rendererpb"
	"github.com/slipway-dev/slipway/sdk"
	"github.com/slipway-dev/slipway/sdk/renderer"
)

// Renderer calls a renderer plugin.
type Renderer struct{ renderer rendererpb.RendererClient }

// NewRenderer returns a client for the renderer at the other end of conn; see
// [Client.Conn].
func NewRenderer(conn grpc.ClientConnInterface) *Renderer {
	return &Renderer{renderer: rendererpb.NewRendererClient(conn)}
}

// Render renders a page to an image in req.FilePath. The timeout is rounded up to a
// whole second.
func (r *Renderer) Render(ctx context.Context, req *renderer.Request) error {
	out, err := r.renderer.Render(ctx, &rendererpb.RenderRequest{
		Url: req.URL, Width: int32(req.Width), Height: int32(req.Height), DeviceScaleFactor: req.DeviceScaleFactor,
		FilePath: req.FilePath, RenderKey: req.RenderKey, Domain: req.Domain, Timeout: seconds(req.Timeout),
		Timezone: req.Timezone, Headers: rendererHeader(req.Header),
	})
	if err != nil {
		return callError(ctx, err)
	}
	return reportedError(out.GetError())
}

// RenderCSV renders a page to a CSV file in req.FilePath and returns the file's name
// for users. The timeout is rounded up to a whole second.
func (r *Renderer) RenderCSV(ctx context.Context, req *renderer.CSVRequest) (fileName string, err error) {
	out, err := r.renderer.RenderCSV(ctx, &rendererpb.RenderCSVRequest{
		Url: req.URL, FilePath: req.FilePath, RenderKey: req.RenderKey, Domain: req.Domain, Timeout: seconds(req.Timeout),
		Timezone: req.Timezone, Headers: rendererHeader(req.Header),
	})
	if err != nil {
		return "", callError(ctx, err)
	}
	return out.GetFileName(), reportedError(out.GetError())
}

// reportedError returns the error that a response reports in a message, or nil for "".
func reportedError(message string) error {
	if message == "" {
		return nil
	}
	return &sdk.Error{Status: http.StatusInternalServerError, Source: sdk.SourcePlugin, Message: message}
}

func seconds(d time.Duration) int32 { return int32((d + time.Second - 1) / time.Second) }

func rendererHeader(h http.Header) map[string]*rendererpb.StringList {
	out := make(map[string]*rendererpb.StringList, len(h))
	for name, values := range h {
		out[name] = &rendererpb.StringList{Values: values}
	}
	return out
}
