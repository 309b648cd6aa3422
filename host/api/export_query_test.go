package api

import (
	"encoding/json"
	"time"

	"github.com/slipway-dev/slipway/host/gate"
	"github.com/slipway-dev/slipway/sdk"
)

// ParseQueries returns the queries in the body of a request, as plugins receive them.
func ParseQueries(body []byte, now time.Time) ([]sdk.Query, error) {
	var b queryBody
	if err := bodyError(body, json.Unmarshal(body, &b)); err != nil {
		return nil, err
	}
	queries, err := parseQueries(b, now)
	return sdkQueries(queries), err
}

// Merge returns the error messages by refId, after a data source was sent two queries.
func Merge(a, b string, responses sdk.QueryDataResponse) map[string]string {
	texts := map[string]string{}
	for refID, r := range resultsOf([]dataQuery{{Query: sdk.Query{RefID: a}}, {Query: sdk.Query{RefID: b}}}, responses, gate.MaxFrameCells) {
		texts[refID] = r.Error
	}
	return texts
}
