package api

import (
	"context"
	"encoding/json"
	"log/slog"
	"math"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/bundle/access"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/internal/feed"
	"github.com/slipway-dev/slipway/loader"
	"github.com/slipway-dev/slipway/sdk/backend"
	"github.com/slipway-dev/slipway/sdk/hostapi"
)

func (a *API) observabilityRoutes() []Route {
	admin := action(access.PluginsWrite).on("plugins:id:{id}")
	return []Route{
		{"GET", "/api/plugins/{id}/logs", admin, a.pluginLogs(), doc{Summary: "Get the last records of the log of a plugin, at most 1,000 and 256 KiB. With follow=true, stream them and later ones as server-sent events (text/event-stream)"}},
	}
}

// logQuery selects records.
type logQuery struct {
	pluginPath
	Level  string `query:"level"`  // the lowest: trace, debug, info, warn or error
	Text   string `query:"text"`   // that the message or the fields contain, ignoring case
	Follow bool   `query:"follow"` // stream
}

// pluginLogs returns a handler that responds with JSON or, to follow, with a stream.
func (a *API) pluginLogs() handler {
	list := call(func(_ context.Context, _ host.Identity, in logQuery) (hostapi.PluginLog, error) {
		p, err := a.plugin(in.ID)
		if err != nil {
			return hostapi.PluginLog{}, err
		}
		matches, err := in.filter()
		if err != nil {
			return hostapi.PluginLog{}, err
		}
		recent, dropped := p.Logs()
		log := hostapi.PluginLog{Records: []hostapi.LogRecord{}, Dropped: dropped}
		for _, r := range recent {
			if matches(r) {
				log.Records = append(log.Records, recordOf(r))
			}
		}
		return log, nil
	})
	serve := list.serve
	list.serve = func(w http.ResponseWriter, r *http.Request, who host.Identity, status int) error {
		if query := r.URL.Query(); query.Has("follow") {
			var in logQuery
			if err := readInputs(w, r, list.inputs, reflect.ValueOf(&in).Elem()); err != nil {
				return err
			}
			if in.Follow || query.Get("follow") == "" {
				return a.followLog(w, r, in)
			}
		}
		return serve(w, r, who, status)
	}
	return list
}

// filter returns a function that reports whether a record is selected.
func (q logQuery) filter() (func(loader.Record) bool, error) {
	lowest := slog.Level(math.MinInt)
	if q.Level != "" {
		var ok bool
		if lowest, ok = backend.ParseLevel(q.Level); !ok {
			return nil, host.Invalid("level", "must be trace, debug, info, warn or error, found %q", q.Level)
		}
	}
	text := strings.ToLower(q.Text)
	return func(r loader.Record) bool {
		return r.Level >= lowest && (strings.Contains(strings.ToLower(r.Message), text) || strings.Contains(strings.ToLower(string(r.Fields)), text))
	}, nil
}

func recordOf(r loader.Record) hostapi.LogRecord {
	return hostapi.LogRecord{Number: r.Number, Time: r.Time.UTC(), Level: levelName(r.Level), Message: r.Message, Fields: r.Fields, IsCut: r.IsCut}
}

// levelName returns the name of the highest level that is not above l.
func levelName(l slog.Level) string {
	switch {
	case l >= slog.LevelError:
		return "error"
	case l >= slog.LevelWarn:
		return "warn"
	case l >= slog.LevelInfo:
		return "info"
	case l >= slog.LevelDebug:
		return "debug"
	}
	return "trace"
}

// followLog streams the log of a plugin in the format of EventSource. The id of an event
// is the number of its record, and a client that reconnects gets the records after
// the last one that it received.
func (a *API) followLog(w http.ResponseWriter, r *http.Request, in logQuery) error {
	p, err := a.plugin(in.ID)
	if err != nil {
		return err
	}
	matches, err := in.filter()
	if err != nil {
		return err
	}
	seen, _ := strconv.ParseUint(r.Header.Get("Last-Event-ID"), 10, 64) // 0 if it is not one of ours
	records, end, ok := p.Follow(seen)
	if !ok {
		return &host.Error{Category: host.ErrUnavailable, Message: "too many clients follow the log of " + p.ID() + "; try again later"}
	}
	defer end()
	return streamEvents(a, w, r, records, func(r loader.Record) (feed.Event, error) {
		if !matches(r) {
			return feed.Event{}, nil
		}
		data, err := json.Marshal(recordOf(r))
		return feed.Event{ID: int64(r.Number), Name: "record", Data: data}, err
	})
}
