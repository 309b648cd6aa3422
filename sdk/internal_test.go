package sdk

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/internal/testkit"
)

func TestLogger(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	NewLogger(&out, slog.LevelInfo).With("request", 7).WarnContext(t.Context(), "slow", "took", "1s", slog.Group("g", "level", "inner"), "msg", "mine", "level", "mine too")
	var line map[string]any
	testkit.OK(t, json.Unmarshal(out.Bytes(), &line))
	if _, err := time.Parse(logTimeLayout, line["@timestamp"].(string)); err != nil {
		t.Error(err)
	}
	delete(line, "@timestamp")
	want := map[string]any{
		"@level": "warn", "@message": "slow", "took": "1s", "msg_": "mine", "level_": "mine too", "request": 7.0,
		"g": map[string]any{"level": "inner"},
	}
	if diff := cmp.Diff(want, line); diff != "" {
		t.Errorf("line (-want +got):\n%s", diff)
	}
}

// Existing hosts send an overflow for the zero time.Time.
func TestSettingsWithoutTime(t *testing.T) {
	t.Parallel()
	for _, ms := range []int64{0, -6795364578871} {
		if s := settingsFromWire(nil, nil, ms, ""); !s.Updated.IsZero() {
			t.Errorf("%d became %s", ms, s.Updated)
		}
	}
	if s := settingsFromWire(nil, nil, 1, ""); s.Updated.UnixMilli() != 1 {
		t.Errorf("1 became %s", s.Updated)
	}
}

// Every field of a data source is compared.
func TestEverySettingCounts(t *testing.T) {
	t.Parallel()
	for _, v := range []any{&DataSource{}, &Settings{}} {
		kind := reflect.TypeOf(v).Elem()
		for n := range kind.NumField() {
			a, b := &DataSource{}, &DataSource{}
			target := reflect.ValueOf(b).Elem()
			if kind == reflect.TypeFor[Settings]() {
				target = target.FieldByName("Settings")
			}
			switch f := target.Field(n); value := f.Interface().(type) {
			case string:
				f.SetString("x")
			case int64:
				f.SetInt(1)
			case bool:
				f.SetBool(true)
			case json.RawMessage:
				f.SetBytes([]byte("{}"))
			case map[string]string:
				f.Set(reflect.ValueOf(map[string]string{"a": "b"}))
			case time.Time:
				f.Set(reflect.ValueOf(time.Unix(1, 0)))
			case Settings: // compared separately
				continue
			default:
				t.Fatalf("add a case for %T", value)
			}
			if a.equal(b) {
				t.Errorf("equal ignores %s.%s", kind.Name(), kind.Field(n).Name)
			}
		}
	}
}
