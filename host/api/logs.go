package api

import (
	"context"
	"log/slog"
	"math"
	"strings"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/loader"
	"github.com/slipway-dev/slipway/sdk/backend"
	"github.com/slipway-dev/slipway/sdk/hostapi"
)

type logQuery struct {
	pluginPath
	Level string `query:"level"` // the lowest: trace, debug, info, warn or error
	Text  string `query:"text"`  // that the message or the fields contain, ignoring case
}

func (a *API) pluginLogs(_ context.Context, _ host.Identity, p *loader.Plugin, in logQuery) (hostapi.PluginLog, error) {
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
