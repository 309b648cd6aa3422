package sdk

import (
	"context"
	"io"
	"log/slog"
	"slices"
	"strings"
)

// The keys of a log line as hosts read it from a plugin's standard error.
const (
	logTime    = "@timestamp"
	logLevel   = "@level"
	logMessage = "@message"
)

// logTimeLayout is the timestamp of hclog's JSON format.
const logTimeLayout = "2006-01-02T15:04:05.000000Z07:00"

// NewLogger returns a logger whose lines a host understands: one JSON object a
// line with @timestamp, @level and @message. What is logged with the context of a
// call carries pluginId, orgId, and where there are such the data source's dsUid and
// dsName and the traceId. [Serve] makes such a logger on standard error the default
// one.
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

// renamer keeps an author's top-level attributes apart from time, level and
// message, which would be taken for them: "msg" becomes "msg_".
type renamer struct {
	slog.Handler
	grouped []func(slog.Handler) slog.Handler // what With and WithGroup did since the first group
}

// Handle implements slog.Handler.
func (h renamer) Handle(ctx context.Context, r slog.Record) error {
	if len(h.grouped) > 0 { // inside a group nothing collides, but the call is not part of it
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

// callAttrs say which call a line is about.
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

// levelName maps to the five names hosts know.
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

// ParseLevel reads a level name as plugins write it; ok is false for a name that
// no plugin writes.
func ParseLevel(name string) (level slog.Level, ok bool) {
	switch strings.ToLower(name) {
	case "trace":
		return slog.LevelDebug - 4, true
	case "debug":
		return slog.LevelDebug, true
	case "info":
		return slog.LevelInfo, true
	case "warn", "warning":
		return slog.LevelWarn, true
	case "error", "fatal":
		return slog.LevelError, true
	}
	return slog.LevelInfo, false
}
