package sdk

import (
	"context"
	"io"
	"log/slog"
	"slices"
	"strings"
)

// Keys of a line in the log of a plugin.
const (
	logTime    = "@timestamp"
	logLevel   = "@level"
	logMessage = "@message"
)

// logTimeLayout is the timestamp of hclog's JSON format.
const logTimeLayout = "2006-01-02T15:04:05.000000Z07:00"

// NewLogger returns a logger in the format that hosts read: JSON objects with
// @timestamp, @level and @message, one per line. A record logged with the context of a
// call also has pluginId and orgId and, if known, dsUid, dsName and traceId. [Serve]
// makes such a logger, on standard error, the default.
func NewLogger(w io.Writer, level slog.Level) *slog.Logger {
	return slog.New(renamer{Handler: slog.NewJSONHandler(w, &slog.HandlerOptions{
		Level: level,
		ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
			if len(groups) > 0 {
				return a
			}
			switch a.Key {
			case slog.TimeKey:
				if a.Value.Kind() == slog.KindTime {
					return slog.String(logTime, a.Value.Time().Format(logTimeLayout))
				}
			case slog.LevelKey:
				if l, ok := a.Value.Any().(slog.Level); ok {
					return slog.String(logLevel, levelName(l))
				}
			case slog.MessageKey:
				a.Key = logMessage
			}
			return a
		},
	})})
}

// renamer appends an underscore to the author's top-level attributes that hosts would
// take for the time, the level or the message: "msg" becomes "msg_".
type renamer struct {
	slog.Handler
	grouped []func(slog.Handler) slog.Handler // calls of With and WithGroup since the first group
}

// Handle implements slog.Handler.
func (h renamer) Handle(ctx context.Context, r slog.Record) error {
	if len(h.grouped) > 0 { // attributes in a group need no new name, and those of the call stay outside
		inner := h.Handler.WithAttrs(callAttrs(callOf(ctx)))
		for _, apply := range h.grouped {
			inner = apply(inner)
		}
		return inner.Handle(ctx, r)
	}
	clean := slog.NewRecord(r.Time, r.Level, r.Message, r.PC)
	r.Attrs(func(a slog.Attr) bool {
		clean.AddAttrs(renamed(a))
		return true
	})
	clean.AddAttrs(callAttrs(callOf(ctx))...)
	return h.Handler.Handle(ctx, clean)
}

func callAttrs(c *call) (attrs []slog.Attr) {
	if c.plugin.PluginID != "" {
		attrs = append(attrs, slog.String("pluginId", c.plugin.PluginID), slog.Int64("orgId", c.plugin.OrgID))
	}
	if d := c.plugin.DataSource; d != nil {
		attrs = append(attrs, slog.String("dsUid", d.UID), slog.String("dsName", d.Name))
	}
	if version, rest, ok := strings.Cut(c.trace.Get("traceparent"), "-"); ok && version != "" {
		id, _, _ := strings.Cut(rest, "-")
		attrs = append(attrs, slog.String("traceId", id))
	}
	return attrs
}

// WithAttrs implements slog.Handler.
func (h renamer) WithAttrs(attrs []slog.Attr) slog.Handler {
	if len(h.grouped) > 0 {
		return h.within(func(inner slog.Handler) slog.Handler { return inner.WithAttrs(attrs) })
	}
	clean := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		clean[i] = renamed(a)
	}
	return renamer{Handler: h.Handler.WithAttrs(clean)}
}

// WithGroup implements slog.Handler.
func (h renamer) WithGroup(name string) slog.Handler {
	if name == "" {
		return h
	}
	return h.within(func(inner slog.Handler) slog.Handler { return inner.WithGroup(name) })
}

func (h renamer) within(apply func(slog.Handler) slog.Handler) slog.Handler {
	return renamer{Handler: h.Handler, grouped: append(slices.Clip(h.grouped), apply)}
}

func renamed(a slog.Attr) slog.Attr {
	switch a.Key {
	case slog.TimeKey, slog.LevelKey, slog.MessageKey, logTime, logLevel, logMessage:
		a.Key += "_"
	}
	return a
}

// levelName returns one of the five names that hosts know.
func levelName(l slog.Level) string {
	switch {
	case l < slog.LevelDebug:
		return "trace"
	case l < slog.LevelInfo:
		return "debug"
	case l < slog.LevelWarn:
		return "info"
	case l < slog.LevelError:
		return "warn"
	}
	return "error"
}
