package api_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/host/api"
)

// Expressions get the results that they need, and a hidden result is not returned.
func TestExpressions(t *testing.T) {
	t.Parallel()
	f := withPlugin(t)
	const source = `"datasource":"` + pluginID + `"`
	const walk = `"datasource":{"uid":"grafana"},"queryType":"randomWalk","maxDataPoints":5,"startValue":7,"spread":0`
	const expr = `"datasource":{"type":"__expr__","uid":"__expr__"}`
	const math = expr + `,"type":"math"`
	const last = expr + `,"type":"reduce","reducer":"last"`
	for _, c := range []struct {
		name, queries, results string
		texts                  []string // in the results
	}{
		{"hidden input", `{"refId":"B",` + last + `,"expression":"A"},{"refId":"A","hide":true,` + walk + `}`, "B200", []string{`[7]`}},
		{"visible input", `{"refId":"A",` + walk + `},{"refId":"B",` + last + `,"expression":"$A"}`, "A200 B200", []string{`[7]`}},
		{"not an input", `{"refId":"A",` + walk + `},{"refId":"B",` + math + `,"expression":"1+2"}`, "A200 B200", []string{`[3]`}},
		{"through a hidden expression", `{"refId":"C",` + math + `,"expression":"$B + 4"},{"refId":"B","hide":true,` + last + `,"expression":"$A"},{"refId":"A","hide":true,` + walk + `}`, "C200", []string{`[11]`}},
		{"hidden and not needed", `{"refId":"A","hide":true,` + walk + `},{"refId":"B","hide":true,` + math + `,"expression":"$A"}`, "", nil},
		{"failed input", `{"refId":"A","queryType":"bad",` + source + `},{"refId":"B",` + math + `,"expression":"$A + 1"}`, "A400 B400", []string{"$A failed: no such table"}},
		{"invalid", `{"refId":"A",` + walk + `},{"refId":"B",` + math + `,"expression":"$A +"},{"refId":"C",` + math + `,"expression":"$B"}`, "A200 B400 C400", []string{"help: ", "$B failed: "}},
		{"each other", `{"refId":"A",` + math + `,"expression":"$B"},{"refId":"B",` + math + `,"expression":"$A"}`, "A400 B400", []string{"A", "B"}},
		{"unknown", `{"refId":"A",` + math + `,"expression":"$X"}`, "A400", []string{"X"}},
		{"SQL", `{"refId":"A",` + expr + `,"type":"sql","expression":"SELECT 1"}`, "A400", []string{"this host has no SQL expressions"}},
		{"by the old uid", `{"refId":"B","datasource":{"uid":"-100"},"type":"math","expression":"1"}`, "B200", []string{`[1]`}},
		{"by the id", `{"refId":"B","datasourceId":-100,"type":"math","expression":"1"}`, "B200", []string{`[1]`}},
		{"by the type", `{"refId":"B","datasource":{"type":"__expr__"},"type":"math","expression":"1"}`, "B200", []string{`[1]`}},
		{"by the name", `{"refId":"B","datasource":"Expression","type":"math","expression":"1"}`, "B200", []string{`[1]`}},
	} {
		status := 200
		if regexp.MustCompile(`[45]00`).MatchString(c.results) {
			status = 207
		}
		var results []string
		got := f.query(t, status, f.viewer, "/api/ds/query", `{"from":"1000","to":"61000","queries":[`+c.queries+`]}`)
		var text strings.Builder
		for _, refID := range slices.Sorted(maps.Keys(got)) {
			results = append(results, fmt.Sprint(refID, got[refID].Status))
			fmt.Fprintf(&text, "%s %v\n", got[refID].Error, got[refID].Frames)
		}
		if strings.Join(results, " ") != c.results {
			t.Errorf("%s: results %s, want %s\n%s", c.name, results, c.results, text.String())
		}
		for _, want := range c.texts {
			if !strings.Contains(text.String(), want) {
				t.Errorf("%s: no %q in\n%s", c.name, want, text.String())
			}
		}
	}
}

// Many expressions can need the same result: they do not repeat all of its error.
func TestLongError(t *testing.T) {
	t.Parallel()
	if got := api.Repeat(strings.Repeat("e", 10_000)); got != "$A failed: "+strings.Repeat("e", 500)+"..." {
		t.Errorf("%d bytes: %.600s", len(got), got)
	}
}
