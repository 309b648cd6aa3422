package sdk_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/sdk"
	"github.com/slipway-dev/slipway/sdk/backend"
	"github.com/slipway-dev/slipway/sdk/sdktest"
)

type region struct {
	Name string `json:"region" required:"true"`
}

type fullSettings struct {
	region
	Limit int8     `json:"limit"`
	Tags  []string `json:"tags"`
	Nest  struct {
		On bool `json:"on"`
	} `json:"nest"`
	Key string `secret:"apiKey" required:"true"`
}

// Validate rejects limits above 50.
func (s *fullSettings) Validate() error {
	if s.Limit > 50 {
		return fmt.Errorf("\"limit\" must be at most 50, found %d", s.Limit)
	}
	return nil
}

func TestDecodeSettings(t *testing.T) {
	t.Parallel()
	secrets := map[string]string{"apiKey": "hunter2", "other": "x"}
	s := testkit.Must(sdk.DecodeSettings[fullSettings](sdk.Settings{
		JSON: []byte(`{"region":"north","limit":7,"tags":["a"],"nest":{"on":true},"Key":"from JSON","more":1}`), Secrets: secrets,
	}))(t)
	want := fullSettings{region: region{Name: "north"}, Limit: 7, Tags: []string{"a"}, Key: "hunter2"}
	want.Nest.On = true
	if diff := cmp.Diff(want, s, cmp.AllowUnexported(fullSettings{})); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
	for _, c := range []struct {
		json    string
		secrets map[string]string
		want    []string
	}{
		{``, nil, []string{`"region" is missing`, `the secret "apiKey" is missing`}},
		{`{"region":"n","limit":"seven"}`, secrets, []string{`"limit" must be an integer of at most 8 bits, found a string`}},
		{`{"region":"n","limit":300}`, secrets, []string{`"limit" must be an integer of at most 8 bits, found a number`}},
		{`{"region":"n","nest":{"on":1}}`, secrets, []string{`"nest.on" must be a boolean, found a number`}},
		{`{"region":"n","tags":{}}`, secrets, []string{`"tags" must be an array, found an object`}},
		{`{"region":"n","limit":51}`, secrets, []string{`"limit" must be at most 50, found 51`}},
		{`[]`, secrets, []string{`must be an object, found an array`}},
		{`{"region":`, secrets, []string{`invalid JSON at byte 10: unexpected end of JSON input`}},
	} {
		_, err := sdk.DecodeSettings[fullSettings](sdk.Settings{JSON: []byte(c.json), Secrets: c.secrets})
		e, ok := errors.AsType[*sdk.Error](err)
		if !ok || e.Status != http.StatusBadRequest || e.Source != sdk.SourceDownstream || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", c.json, err)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(e.Message, want) {
				t.Errorf("%s: %s\nwant %s", c.json, e.Message, want)
			}
		}
	}
	if _, err := sdk.DecodeSettings[struct {
		Key int `secret:"k"`
	}](sdk.Settings{}); err == nil || !strings.Contains(err.Error(), "Key") {
		t.Errorf("%v", err)
	}
	if m, err := sdk.DecodeSettings[map[string]int](sdk.Settings{JSON: []byte(`{"a":1}`)}); err != nil || m["a"] != 1 {
		t.Errorf("%v, %v", m, err)
	}
}

type Credentials struct {
	Token string `secret:"token" required:"true"`
	*Credentials
}

type certificate struct {
	Name string `json:"name" required:"true"`
	Pair struct {
		Key string `secret:"key"`
	} `json:"pair"`
	Next *certificate `json:"next"`
}

type pointers struct {
	*Credentials
	TLS   *certificate `json:"tls"`
	Limit *struct {
		Rows int `json:"rows" required:"true"`
	} `json:"limit"`
}

// Secrets are set even if the JSON omits their struct. An omitted struct has no required
// fields, unless it is embedded or has a secret.
func TestDecodeSettingsPointers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		json    string
		secrets map[string]string
		want    string // error
	}{
		{``, map[string]string{"token": "t"}, ""},
		{``, nil, `invalid settings: the secret "token" is missing`},
		{``, map[string]string{"token": "t", "key": "k"}, `invalid settings: "name" is missing`},
		{`{"limit":{}}`, map[string]string{"token": "t"}, `invalid settings: "rows" is missing`},
		{`{"tls":{"name":"n","next":{"name":"n"}}}`, map[string]string{"token": "t", "key": "k"}, ""},
	} {
		s, err := sdk.DecodeSettings[pointers](sdk.Settings{JSON: []byte(c.json), Secrets: c.secrets})
		if c.want != "" {
			if err == nil || err.Error() != c.want {
				t.Errorf("%s with %v: %v, want %s", c.json, c.secrets, err, c.want)
			}
			continue
		}
		if err != nil || s.Credentials == nil || s.Token != "t" {
			t.Errorf("%s with %v: %+v, %v", c.json, c.secrets, s, err)
			continue
		}
		if hasKey := c.secrets["key"] != ""; hasKey != (s.TLS != nil) || hasKey && s.TLS.Pair.Key != "k" {
			t.Errorf("%s with %v: TLS is %+v", c.json, c.secrets, s.TLS)
		}
	}
	if _, err := sdk.DecodeSettings[struct{ *certificate }](sdk.Settings{Secrets: map[string]string{"key": "k"}}); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("an embedded pointer that cannot be set: %v", err)
	}
}

type count struct {
	N int `json:"n"`
}

// Validate requires a positive number.
func (c count) Validate() error {
	if c.N < 1 {
		return errors.New("\"n\" must be 1 or more")
	}
	return nil
}

func TestQueryTypes(t *testing.T) {
	t.Parallel()
	k := sdktest.Start(t, sdk.Plugin{QueryData: sdk.QueryTypes{
		"": sdk.EachQuery(func(_ context.Context, q sdk.Query, c count) ([]sdk.Frame, error) {
			return []sdk.Frame{backend.ArrowFrame(fmt.Sprint(q.RefID, c.N))}, nil
		}),
		"whole": func(context.Context, *sdk.QueryDataRequest) (sdk.QueryDataResponse, error) {
			return nil, sdk.Downstreamf(http.StatusBadGateway, "away")
		},
		"panic": func(context.Context, *sdk.QueryDataRequest) (sdk.QueryDataResponse, error) { panic("oh") },
		"stray": func(context.Context, *sdk.QueryDataRequest) (sdk.QueryDataResponse, error) {
			return sdk.QueryDataResponse{"A": {Frames: []sdk.Frame{backend.ArrowFrame("not mine")}}}, nil
		},
	}.QueryData})
	answers := testkit.Must(k.QueryData(t.Context(), &sdk.QueryDataRequest{Queries: []sdk.Query{
		{RefID: "A", JSON: []byte(`{"n":1}`)}, {RefID: "B", JSON: []byte(`{"n":2}`)}, {RefID: "C"},
		{RefID: "D", Type: "whole"}, {RefID: "E", Type: "panic"}, {RefID: "F", Type: "stray"}, {RefID: "G", Type: "unknown"},
	}}))(t)
	for ref, want := range map[string]string{"A": "A1", "B": "B2"} {
		if a := answers[ref]; a.Err != nil || string(a.Frames[0].(backend.ArrowFrame)) != want {
			t.Errorf("%s: %+v", ref, a)
		}
	}
	for ref, want := range map[string]string{
		"C": `invalid query: "n" must be 1 or more`, "D": "away", "E": "the plugin failed on this query; see its log",
		"F": "the plugin returned no response to query F", "G": `unknown query type "unknown", expected one of ["" "panic" "stray" "whole"]`,
	} {
		if e, ok := errors.AsType[*sdk.Error](answers[ref].Err); !ok || e.Message != want {
			t.Errorf("%s: %+v", ref, answers[ref])
		}
	}
}
