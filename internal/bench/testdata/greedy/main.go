// Command greedy is a backend that uses up the time and the memory of its host.
package main

import (
	"net/http"

	"github.com/slipway-dev/slipway/sdk"
)

func main() {
	mux := http.NewServeMux()
	mux.HandleFunc("/hang", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	large := make([]byte, 500<<20)
	mux.HandleFunc("/large", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(large) })
	sdk.Serve(sdk.Plugin{Resources: mux})
}
