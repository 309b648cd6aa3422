package api

import (
	"context"
	"encoding/json"
	"time"

	"github.com/slipway-dev/slipway/host"
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

// Repeat returns the text of the error of an expression whose input failed.
func Repeat(failure string) string {
	plan := planQueries([]dataQuery{
		{Query: sdk.Query{RefID: "A"}},
		{Query: sdk.Query{RefID: "B", JSON: json.RawMessage(`{"type":"math","expression":"$A"}`)}, source: dataSourceRef{UID: host.ExpressionUID}},
	})
	results := map[string]queryResult{"A": {Error: failure}}
	plan.evaluate(context.Background(), results)
	return results["B"].Error
}

// Merge returns the error messages by refId, after a data source was sent two queries.
func Merge(a, b string, responses sdk.QueryDataResponse) map[string]string {
	texts := map[string]string{}
	for refID, r := range resultsOf([]dataQuery{{Query: sdk.Query{RefID: a}}, {Query: sdk.Query{RefID: b}}}, responses) {
		texts[refID] = r.Error
	}
	return texts
}

// Unleased returns the bytes of a result that the lease of the response does not cover.
func Unleased(query string, responses sdk.QueryDataResponse) int64 {
	return unleasedBytes(resultsOf([]dataQuery{{Query: sdk.Query{RefID: query}}}, responses))
}
