// Command swap is a data source that reports which build of it runs: the text after the
// last "#" in its executable.
package main

import (
	"bytes"
	"context"
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
	sdk.Serve(sdk.Plugin{QueryData: sdk.EachQuery(query), Resources: mux})
}
