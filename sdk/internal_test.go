package sdk

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"reflect"
	"testing"
	"time"
)

func TestLogger(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	NewLogger(&out, slog.LevelInfo).With("request", 7).WarnContext(t.Context(), "slow", "took", "1s", slog.Group("g", "level", "inner"), "msg", "mine", "level", "mine too")
	var line map[string]any
	if err := json.Unmarshal(out.Bytes(), &line); err != nil {
		t.Fatal(err)
	}
	if line["@level"] != "warn" || line["@message"] != "slow" || line["took"] != "1s" || line["msg_"] != "mine" || line["level_"] != "mine too" || line["request"] != 7.0 || line["g"].(map[string]any)["level"] != "inner" {
		t.Errorf("%s", &out)
	}
	if _, err := time.Parse(logTimeLayout, line["@timestamp"].(string)); err != nil {
		t.Error(err)
	}
}

// A host on the existing SDK sends the time 0 of Go, which overflows in its conversion.
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

// Whatever changes in a data source, its instance is made anew.
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
			case Settings: // its own turn comes
				continue
			default:
				t.Fatalf("%T is new here", value)
			}
			if a.equal(b) {
				t.Errorf("a change of %s.%s is not noticed", kind.Name(), kind.Field(n).Name)
			}
		}
	}
}
