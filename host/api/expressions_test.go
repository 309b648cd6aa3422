package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/slipway-dev/slipway/host/api"
	"github.com/slipway-dev/slipway/sdk"
)

// recorder computes expressions to a description of what they were given.
type recorder struct {
	mu     sync.Mutex
	inputs []string
}

func (*recorder) Needs(_ string, text json.RawMessage) ([]string, error) {
	var model struct{ Expression string }
	if err := json.Unmarshal(text, &model); err != nil || model.Expression == "" {
		return nil, errors.New("expression: missing")
	}
	var needs []string
	for _, m := range regexp.MustCompile(`\$\{?(\w+)`).FindAllStringSubmatch(model.Expression, -1) {
		needs = append(needs, m[1])
	}
	return needs, nil
}

func (r *recorder) Evaluate(_ context.Context, expressions []sdk.Query, inputs map[string]api.ExpressionResult) map[string]api.ExpressionResult {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, refID := range slices.Sorted(maps.Keys(inputs)) {
		r.inputs = append(r.inputs, fmt.Sprint(refID, " ", len(inputs[refID].Frames), " ", inputs[refID].Err))
	}
	results := map[string]api.ExpressionResult{}
	for _, q := range expressions {
		switch {
		case strings.Contains(string(q.JSON), "panic"):
			panic("oh no")
		case strings.Contains(string(q.JSON), "fail"):
			results[q.RefID] = api.ExpressionResult{Err: errors.New("$A failed")}
		default:
			results[q.RefID] = api.ExpressionResult{Frames: data.Frames{data.NewFrame("", data.NewField(q.RefID, nil, []int64{q.TimeRange.To.UnixMilli()}))}}
		}
	}
	return results
}

// Expressions get the results that they need, and a hidden result is not returned.
func TestExpressions(t *testing.T) {
	t.Parallel()
	f := withPlugin(t)
	const source = `"datasource":"` + pluginID + `"`
	const told, expr = `"queryType":"told",` + source, `"datasource":{"type":"__expr__","uid":"__expr__"}`
	for _, c := range []struct {
		name, queries string
		inputs        []string
		results       string
	}{
		{"hidden input", `{"refId":"B",` + expr + `,"expression":"$A + 1"},{"refId":"A","hide":true,` + told + `}`, []string{"A 1 <nil>"}, "B200"},
		{"visible input", `{"refId":"A",` + told + `},{"refId":"B",` + expr + `,"expression":"${A}"}`, []string{"A 1 <nil>"}, "A200 B200"},
		{"not an input", `{"refId":"A",` + told + `},{"refId":"B",` + expr + `,"expression":"1"}`, []string{"A 0 <nil>"}, "A200 B200"},
		{"through a hidden expression", `{"refId":"C",` + expr + `,"expression":"$B"},{"refId":"B","hide":true,` + expr + `,"expression":"$A"},{"refId":"A","hide":true,` + told + `}`, []string{"A 1 <nil>"}, "C200"},
		{"hidden and not needed", `{"refId":"A","hide":true,` + told + `},{"refId":"B","hide":true,` + expr + `,"expression":"$A"}`, nil, ""},
		{"failed input", `{"refId":"A","queryType":"bad",` + source + `},{"refId":"B",` + expr + `,"expression":"$A fail"}`, []string{"A 0 no such table"}, "A400 B400"},
		{"invalid", `{"refId":"A",` + told + `},{"refId":"B",` + expr + `},{"refId":"C",` + expr + `,"expression":"$B"}`, []string{"A 0 <nil>", "B 0 expression: missing"}, "A200 B400 C200"},
		{"each other", `{"refId":"A",` + expr + `,"expression":"$B"},{"refId":"B",` + expr + `,"expression":"$A $A"}`, nil, "A200 B200"},
		{"panic", `{"refId":"A",` + told + `},{"refId":"B",` + expr + `,"expression":"$A panic"}`, []string{"A 1 <nil>"}, "A200 B500"},
		{"by the old uid", `{"refId":"B","datasource":{"uid":"-100"},"expression":"1"}`, nil, "B200"},
		{"by the id", `{"refId":"B","datasourceId":-100,"expression":"1"}`, nil, "B200"},
		{"by the type", `{"refId":"B","datasource":{"type":"__expr__"},"expression":"1"}`, nil, "B200"},
		{"by the name", `{"refId":"B","datasource":"Expression","expression":"1"}`, nil, "B200"},
	} {
		r := &recorder{}
		f.SetExpressions(r)
		status := 200
		if regexp.MustCompile(`[45]00`).MatchString(c.results) {
			status = 207
		}
		var results []string
		got := f.query(t, status, f.viewer, "/api/ds/query", `{"from":0,"to":5,"queries":[`+c.queries+`]}`)
		for _, refID := range slices.Sorted(maps.Keys(got)) {
			results = append(results, fmt.Sprint(refID, got[refID].Status))
		}
		if diff := cmp.Diff(c.inputs, r.inputs); diff != "" || strings.Join(results, " ") != c.results {
			t.Errorf("%s: results %s, want %s; inputs (-want +got):\n%s", c.name, results, c.results, diff)
		}
	}
	f.SetExpressions(nil)
	got := f.query(t, 207, f.viewer, "/api/ds/query", `{"queries":[{"refId":"A",`+told+`},{"refId":"B",`+expr+`,"expression":"$A"}]}`)
	if got["A"].Status != 200 || got["B"].Status != 501 || got["B"].Error != "this host does not compute expressions" {
		t.Errorf("without expressions: %+v", got)
	}
}
