package frame

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Config configures how hosts display a field. Zero values are omitted. Keys that Config
// has no field for go in Other.
type Config struct {
	// DisplayName replaces the field's name, even if the user configured another.
	// FromSource replaces it unless the user configured another.
	DisplayName string `json:"displayName,omitempty"`
	FromSource  string `json:"displayNameFromDS,omitempty"`

	Description string         `json:"description,omitempty"`
	Filterable  *bool          `json:"filterable,omitempty"`
	Unit        string         `json:"unit,omitempty"`     // see Column.Unit
	Decimals    *uint16        `json:"decimals,omitempty"` // digits after the decimal point
	Min         *float64       `json:"min,omitempty"`      // of the scale; NaN and infinities are an error
	Max         *float64       `json:"max,omitempty"`
	Interval    float64        `json:"interval,omitempty"` // expected distance between rows, in ms for times; a larger one is a gap
	Links       []Link         `json:"links,omitempty"`    // offered on a value
	NoValue     string         `json:"noValue,omitempty"`  // displayed for null
	Type        *TypeConfig    `json:"type,omitempty"`
	Custom      map[string]any `json:"custom,omitempty"` // for the panel

	// Other contains further keys, such as "thresholds", "mappings" and "color". They
	// replace those above. Values are encoded by encoding/json.
	Other map[string]any `json:"-"`
}

// MarshalJSON implements json.Marshaler.
func (c Config) MarshalJSON() ([]byte, error) {
	type names Config
	return merge(names(c), c.Other)
}

// UnmarshalJSON implements json.Unmarshaler. A key that Config has no field for, or whose value
// contains a key that it has no field for, is stored in Other as a json.RawMessage.
func (c *Config) UnmarshalJSON(text []byte) error {
	type names Config
	known, other, err := split[names, moreConfig](text)
	*c = Config(known)
	c.Other = other
	return err
}

// Link is a link on the values of a field. Its URL can contain variables of the host,
// such as ${__value.raw}.
type Link struct {
	Title       string        `json:"title,omitempty"`
	URL         string        `json:"url,omitempty"`
	TargetBlank bool          `json:"targetBlank,omitempty"` // in a new tab
	Internal    *InternalLink `json:"internal,omitempty"`    // replaces the URL
}

// InternalLink links to a query of a data source.
type InternalLink struct {
	Query          any    `json:"query,omitempty"` // encoded by encoding/json
	DataSourceUID  string `json:"datasourceUid,omitempty"`
	DataSourceName string `json:"datasourceName,omitempty"`
}

// TypeConfig is the config of fields of one type.
type TypeConfig struct {
	Enum *EnumConfig `json:"enum,omitempty"`
}

// EnumConfig configures the values of an Enum, which are indexes into its slices.
type EnumConfig struct {
	Text        []string `json:"text"`
	Color       []string `json:"color,omitempty"`
	Icon        []string `json:"icon,omitempty"`
	Description []string `json:"description,omitempty"`
}

// Meta describes a frame as a whole. Zero values are omitted, except that of TypeVersion.
// Keys that Meta has no field for go in Other.
type Meta struct {
	Type        Type    `json:"type,omitempty"`
	TypeVersion [2]uint `json:"typeVersion"` // of Type; the first is {0, 1}

	Custom  any      `json:"custom,omitempty"` // encoded by encoding/json
	Notices []Notice `json:"notices,omitempty"`
	Channel string   `json:"channel,omitempty"` // stream that continues the frame, ds/<uid>/<path>

	// PreferredVisualization is "graph", "table", "logs", "trace", "nodeGraph" or
	// "flamegraph".
	PreferredVisualization string `json:"preferredVisualisationType,omitempty"`

	ExecutedQueryString string `json:"executedQueryString,omitempty"` // as sent to the service
	DataTopic           string `json:"dataTopic,omitempty"`           // "annotations", or "" for data
	UniqueRowIDFields   []int  `json:"uniqueRowIdFields,omitempty"`

	// Other contains further keys, such as "stats" and "path". They replace those above.
	// Values are encoded by encoding/json.
	Other map[string]any `json:"-"`
}

// MarshalJSON implements json.Marshaler.
func (m Meta) MarshalJSON() ([]byte, error) {
	type names Meta
	return merge(names(m), m.Other)
}

// UnmarshalJSON implements json.Unmarshaler. A key that Meta has no field for, or whose value
// contains a key that it has no field for, is stored in Other as a json.RawMessage.
func (m *Meta) UnmarshalJSON(text []byte) error {
	type names Meta
	known, other, err := split[names, moreMeta](text)
	*m = Meta(known)
	m.Other = other
	return err
}

// Type declares which fields a frame has, as defined by the data plane contract,
// https://grafana.github.io/dataplane/contract/.
type Type string

// The types of frames. A series is a field in a wide frame, a frame in a multi frame,
// and the rows with equal strings in a long frame.
const (
	TimeSeriesWide  Type = "timeseries-wide"
	TimeSeriesMulti Type = "timeseries-multi"
	TimeSeriesLong  Type = "timeseries-long"
	NumericWide     Type = "numeric-wide"
	NumericMulti    Type = "numeric-multi"
	NumericLong     Type = "numeric-long"
	LogLines        Type = "log-lines"
	Table           Type = "table"
)

// Notice is a message to the user about the data.
type Notice struct {
	Severity Severity `json:"severity"`
	Text     string   `json:"text"`
	Link     string   `json:"link,omitempty"` // URL with more information
}

// Severity is the severity of a notice.
type Severity string

// The severities.
const (
	SeverityInfo    Severity = "info"
	SeverityWarning Severity = "warning"
	SeverityError   Severity = "error"
)

// MarshalJSON encodes "" as "info", since hosts reject a frame with an unknown severity.
func (s Severity) MarshalJSON() ([]byte, error) {
	s = cmp.Or(s, SeverityInfo)
	return json.Marshal(string(s))
}

// UnmarshalJSON returns an error if the severity is unknown, as hosts do.
func (s *Severity) UnmarshalJSON(text []byte) error {
	var name string
	if err := json.Unmarshal(text, &name); err != nil {
		return err
	}
	*s = Severity(name)
	if !slices.Contains([]Severity{SeverityInfo, SeverityWarning, SeverityError}, *s) {
		return fmt.Errorf("unknown severity %q", name)
	}
	return nil
}

// merge encodes v, an object, with more keys.
func merge(v any, more map[string]any) ([]byte, error) {
	encoded, err := json.Marshal(v)
	if err != nil || len(more) == 0 {
		return encoded, err
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(encoded, &object); err != nil {
		return nil, err
	}
	all := make(map[string]any, len(object)+len(more))
	for name, value := range object {
		all[name] = value
	}
	maps.Copy(all, more)
	return json.Marshal(all)
}

// split decodes an object into a T, and also returns the keys that T does not know or whose
// values contain a key that it does not know. Like hosts, it returns an error if a value does
// not fit T or More, which has further keys that hosts know.
func split[T, More any](text []byte) (known T, other map[string]any, err error) {
	var object map[string]json.RawMessage
	for _, v := range []any{&known, new(More), &object} {
		if err := json.Unmarshal(text, v); err != nil {
			if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
				err = fmt.Errorf("%s has the wrong type, %s", cmp.Or(e.Field, "the value"), e.Value)
			}
			return known, nil, err
		}
	}
	for name, value := range object {
		single, err := json.Marshal(map[string]json.RawMessage{name: value})
		if err != nil {
			return known, nil, err
		}
		d := json.NewDecoder(bytes.NewReader(single))
		d.DisallowUnknownFields()
		if d.Decode(new(T)) == nil {
			continue
		}
		if other == nil {
			other = map[string]any{}
		}
		other[name] = value
	}
	return known, other, nil
}

// moreConfig has the keys of Grafana's FieldConfig that Config has no field for.
type moreConfig struct {
	Path       string         `json:"path"`
	Writeable  bool           `json:"writeable"`
	Color      map[string]any `json:"color"`
	Thresholds struct {
		Mode  string `json:"mode"`
		Steps []struct {
			Color string `json:"color"`
			State string `json:"state"`
		} `json:"steps"`
	} `json:"thresholds"`
	Mappings []struct {
		Type    string         `json:"type"`
		Options map[string]any `json:"options"`
	} `json:"mappings"`
}

// moreMeta has the keys of Grafana's FrameMeta that Meta has no field for.
type moreMeta struct {
	Path                           string `json:"path"`
	PathSeparator                  string `json:"pathSeparator"`
	PreferredVisualizationPluginID string `json:"preferredVisualisationPluginId"`
	Stats                          []struct {
		DisplayName string  `json:"displayName"`
		Unit        string  `json:"unit"`
		Value       float64 `json:"value"`
	} `json:"stats"`
	Notices []struct {
		Inspect int `json:"inspect"`
	} `json:"notices"`
}
