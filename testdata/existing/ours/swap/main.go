// Command swap is a data source that reports which build of it runs: the text after the
// last "#" in its executable.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/slipway-dev/slipway/sdk"
	"github.com/slipway-dev/slipway/sdk/frame"
)

// build returns the text after the last "#" in the executable.
func build() string {
	path, err := os.Executable()
	if err != nil {
		return err.Error()
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	return string(data[bytes.LastIndexByte(data, '#')+1:])
}

func main() {
	version := build()
	mux := http.NewServeMux()
	mux.HandleFunc("/version", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, version) })
	mux.HandleFunc("/stream", func(w http.ResponseWriter, r *http.Request) {
		for range 50 {
			fmt.Fprintln(w, version)
			_ = http.NewResponseController(w).Flush()
			select {
			case <-time.After(20 * time.Millisecond):
			case <-r.Context().Done():
				return
			}
		}
	})
	query := func(context.Context, sdk.Query, struct{}) ([]sdk.Frame, error) {
		return []sdk.Frame{frame.New("", frame.Of("version", []string{version}))}, nil
	}
	sdk.Serve(sdk.Plugin{QueryData: sdk.EachQuery(query), Resources: mux, SubscribeStream: subscribe, PublishStream: publish,
		RunStream: func(ctx context.Context, req *sdk.StreamRequest, to *sdk.StreamSender) error {
			for n := 0; req.Path == "numbers"; n++ {
				if err := to.Send(map[string]any{"build": version, "n": n}); err != nil {
					return err
				}
				select {
				case <-time.After(10 * time.Millisecond):
				case <-ctx.Done():
					return ctx.Err()
				}
			}
			return nil
		}})
}

func subscribe(_ context.Context, req *sdk.StreamRequest) (json.RawMessage, error) {
	switch req.Path {
	case "missing":
		return nil, sdk.Errorf(http.StatusNotFound, "there is no such channel")
	case "secret":
		return nil, sdk.Errorf(http.StatusForbidden, "the channel is secret")
	}
	return json.RawMessage(`{"welcome":"` + req.Context.User.Login + `"}`), nil
}

func publish(_ context.Context, req *sdk.StreamRequest) (json.RawMessage, error) {
	if req.Path != "chat" {
		return nil, sdk.Errorf(http.StatusForbidden, "the channel is read-only")
	}
	return req.Data, nil
}
