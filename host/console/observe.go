package console

import (
	"encoding/json"
	"net/url"
	"slices"
	"time"
)

// mostRecords is how many records of a log a page contains.
const mostRecords = 200

// pluginLog is the log of a plugin, as GET /api/plugins/{id}/logs returns it.
type pluginLog struct {
	Records []record
	Dropped int64

	Level, Text string `json:"-"` // the filter
}

// record is an entry of a log.
type record struct {
	Number  int64
	Time    time.Time
	Level   string
	Message string
	Fields  json.RawMessage
}

// FieldsText returns the fields as JSON, or "".
func (r record) FieldsText() string { return string(r.Fields) }

// logOf returns the last records that the filter in the URL of the page selects, the latest
// first, or nil if the API has none.
func logOf(c *client, path string) (*pluginLog, error) {
	q := c.r.URL.Query()
	var log *pluginLog
	filter := url.Values{"level": {q.Get("level")}, "text": {q.Get("text")}}
	if filter.Get("level") == "" {
		filter.Del("level")
	}
	if err := c.getOptional(path+"/logs?"+filter.Encode(), &log); err != nil || log == nil {
		return nil, err
	}
	log.Level, log.Text = q.Get("level"), q.Get("text")
	slices.Reverse(log.Records)
	log.Records = log.Records[:min(len(log.Records), mostRecords)]
	return log, nil
}

// figures describe the calls to a plugin, as GET /api/plugins/{id}/figures returns them.
// Durations are in seconds.
type figures struct {
	Running int
	Calls   []struct {
		Kind      string
		Count     int
		Errors    struct{ Plugin, Downstream int }
		Mean, P95 float64
	}
}
