package console

import (
	"net/url"
	"slices"

	"github.com/slipway-dev/slipway/sdk/hostapi"
)

// mostRecords is how many records of a log a page contains.
const mostRecords = 200

// pluginLog is the log of a plugin.
type pluginLog struct {
	hostapi.PluginLog
	Level, Text string // the filter
}

// logOf returns the last records that the filter in the URL of the page selects, the latest
// first, or nil if the API has none.
func logOf(c *client, path string) (*pluginLog, error) {
	q := c.r.URL.Query()
	var log *hostapi.PluginLog
	filter := url.Values{"level": {q.Get("level")}, "text": {q.Get("text")}}
	if filter.Get("level") == "" {
		filter.Del("level")
	}
	if err := c.getOptional(path+"/logs?"+filter.Encode(), &log); err != nil || log == nil {
		return nil, err
	}
	slices.Reverse(log.Records)
	log.Records = log.Records[:min(len(log.Records), mostRecords)]
	return &pluginLog{*log, q.Get("level"), q.Get("text")}, nil
}
