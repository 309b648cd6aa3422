package frame

import (
	"bytes"
	"encoding/json"
	"maps"
)

// Config says how the host should show a field. What is zero is left out. It is a
// struct and not any JSON value since hosts ignore a name that they do not know, so
// that a misspelt one would go unnoticed; Other takes what is missing here.
type Config struct {
	// DisplayName is shown instead of the field's name, whatever the user sets up.
	// FromSource is shown unless the user sets up something else.
	DisplayName string `json:"displayName,omitempty"`
	FromSource  string `json:"displayNameFromDS,omitempty"`

	Description string         `json:"description,omitempty"`
	Filterable  *bool          `json:"filterable,omitempty"`
	Unit        string         `json:"unit,omitempty"`     // see Column.Unit
	Decimals    *uint16        `json:"decimals,omitempty"` // digits after the decimal point
	Min         *float64       `json:"min,omitempty"`      // of the scale; NaN and infinities are an error
	Max         *float64       `json:"max,omitempty"`
	Interval    float64        `json:"interval,omitempty"` // expected distance between rows, in ms for times; a larger one is a gap
	Links       []Link         `json:"links,omitempty"`    // opened by a click on a value
	NoValue     string         `json:"noValue,omitempty"`  // shown for null
	Type        *TypeConfig    `json:"type,omitempty"`
	Custom      map[string]any `json:"custom,omitempty"` // for the panel; anything that encoding/json encodes

	// Other are more names that hosts know, such as "thresholds", "mappings" and
	// "color". They replace those above. Values are anything that encoding/json encodes.
	Other map[string]any `json:"-"`
}

// MarshalJSON writes the config with the names that hosts read.
func (c Config) MarshalJSON() ([]byte, error) {
	type names Config
	return merge(names(c), c.Other)
}

// UnmarshalJSON is the inverse of MarshalJSON. A value that Config has no field for, or
// that does not fit the field, goes to Other as a json.RawMessage.
func (c *Config) UnmarshalJSON(text []byte) error {
	type names Config
	known, other, err := split[names](text)
	*c = Config(known)
	c.Other = other
	return err
}

// Link is offered on the values of a field. The URL may have variables of the host,
// such as ${__value.raw}.
type Link struct {
	Title       string        `json:"title,omitempty"`
	URL         string        `json:"url,omitempty"`
	TargetBlank bool          `json:"targetBlank,omitempty"` // in a new tab
	Internal    *InternalLink `json:"internal,omitempty"`    // instead of the URL
}

// InternalLink opens a query of a data source.
type InternalLink struct {
	Query          any    `json:"query,omitempty"` // anything that encoding/json encodes
	DataSourceUID  string `json:"datasourceUid,omitempty"`
	DataSourceName string `json:"datasourceName,omitempty"`
}

// TypeConfig is what fields of one type have.
type TypeConfig struct {
	Enum *EnumConfig `json:"enum,omitempty"`
}

// EnumConfig says what each Enum stands for: the first of each list belongs to 0.
type EnumConfig struct {
	Text        []string `json:"text"`
	Color       []string `json:"color,omitempty"`
	Icon        []string `json:"icon,omitempty"`
	Description []string `json:"description,omitempty"`
}

// Meta says what a frame holds and how it came to be. What is zero is left out. Other
// takes what is missing here, as in Config.
type Meta struct {
	Type        Type    `json:"type,omitempty"`
	TypeVersion [2]uint `json:"typeVersion"` // of Type: {0, 1} is the first

	Custom  any      `json:"custom,omitempty"` // anything that encoding/json encodes
	Notices []Notice `json:"notices,omitempty"`
	Channel string   `json:"channel,omitempty"` // of a stream with more rows: ds/<uid>/<path>

	// PreferredVisualization is "graph", "table", "logs", "trace", "nodeGraph" or
	// "flamegraph".
	PreferredVisualization string `json:"preferredVisualisationType,omitempty"`

	ExecutedQueryString string `json:"executedQueryString,omitempty"` // as sent to the service
	DataTopic           string `json:"dataTopic,omitempty"`           // "annotations", or "" for data
	UniqueRowIDFields   []int  `json:"uniqueRowIdFields,omitempty"`

	// Other are more names that hosts know, such as "stats" and "path". They replace
	// those above. Values are anything that encoding/json encodes.
	Other map[string]any `json:"-"`
}

// MarshalJSON writes the meta with the names that hosts read.
func (m Meta) MarshalJSON() ([]byte, error) {
	type names Meta
	return merge(names(m), m.Other)
}

// UnmarshalJSON is the inverse of MarshalJSON. A value that Meta has no field for, or
// that does not fit the field, goes to Other as a json.RawMessage.
func (m *Meta) UnmarshalJSON(text []byte) error {
	type names Meta
	known, other, err := split[names](text)
	*m = Meta(known)
	m.Other = other
	return err
}

// Type says which fields a frame has, as the data plane contract of the field
// describes.
type Type string

// The types of frames. Wide: a series is a field. Multi: a series is a frame. Long: a
// series is the rows with equal strings.
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
	Link     string   `json:"link,omitempty"` // where to read more
}

// Severity is how much a notice matters.
type Severity string

// The severities.
const (
	SeverityInfo    Severity = "info"
	SeverityWarning Severity = "warning"
	SeverityError   Severity = "error"
)

// MarshalJSON writes info for a notice that does not say, since hosts refuse a frame
// with a severity that they do not know.
func (s Severity) MarshalJSON() ([]byte, error) {
	if s == "" {
		s = SeverityInfo
	}
	return json.Marshal(string(s))
}

// merge encodes v, an object, with more entries.
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

// split decodes an object into a T and what does not fit into T.
func split[T any](text []byte) (known T, other map[string]any, err error) {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(text, &object); err != nil {
		return known, nil, err
	}
	for name, value := range object {
		with := known
		single, err := json.Marshal(map[string]json.RawMessage{name: value})
		if err != nil {
			return known, nil, err
		}
		d := json.NewDecoder(bytes.NewReader(single))
		d.DisallowUnknownFields()
		if d.Decode(&with) == nil {
			known = with
			continue
		}
		if other == nil {
			other = map[string]any{}
		}
		other[name] = value
	}
	return known, other, nil
}
