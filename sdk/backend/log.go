package backend

import (
	"log/slog"
	"strings"
)

// ParseLevel returns the level for a name in the log of a plugin. ok is false for an
// unknown name.
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
