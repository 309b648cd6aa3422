package loader

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/text"
	"github.com/slipway-dev/slipway/sdk/backend"
)

type entry struct {
	level   slog.Level
	message string
	fields  map[string]any // as encoding/json decodes them, with json.Number
	isCut   bool
	size    int // bytes that the backend printed
}

// withPanic returns the message, with the value of a panic that the SDK recovered, if any.
func (e entry) withPanic() string {
	if value, ok := e.fields["panic"]; ok {
		return fmt.Sprint(e.message, ": ", value)
	}
	return e.message
}

// showStack moves the stack of a recovered panic from the fields to the message, without the functions
// around the plugin's own code.
func (e *entry) showStack() {
	stack, _ := e.fields["stack"].(string)
	frames, place := text.OwnFrames(stack)
	if place == "" {
		return
	}
	e.message = e.withPanic() + " (" + place + ")\n" + frames
	delete(e.fields, "stack")
	delete(e.fields, "panic")
}

func (e entry) attrs() []slog.Attr {
	var attrs []slog.Attr
	for _, key := range slices.Sorted(maps.Keys(e.fields)) {
		attrs = append(attrs, slog.Any(key, e.fields[key]))
	}
	if e.isCut {
		attrs = append(attrs, slog.Bool("cut", true))
	}
	return attrs
}

// parseLine reads a line of a structured log, of hclog, slog, zap or zerolog. ok is false for others.
func parseLine(line string) (e entry, ok bool) {
	if !strings.HasPrefix(line, "{") {
		return entry{}, false
	}
	var fields map[string]any
	d := json.NewDecoder(strings.NewReader(line))
	d.UseNumber()
	if err := d.Decode(&fields); err != nil {
		return entry{}, false
	}
	return entryOf(fields)
}

// entryOf takes message and level out of the fields of a line. ok is false without a message.
func entryOf(fields map[string]any) (e entry, ok bool) {
	for _, key := range []string{"@message", "msg", "message"} {
		if e.message, ok = fields[key].(string); ok {
			delete(fields, key)
			break
		}
	}
	if !ok {
		return entry{}, false
	}
	for _, key := range []string{"@level", "level", "lvl", "severity"} {
		if name, ok := fields[key].(string); ok {
			e.level = parseLevel(name)
			delete(fields, key)
			break
		}
	}
	for key := range fields { // the host adds its own time
		if strings.HasPrefix(key, "@") || key == "time" || key == "ts" || key == "timestamp" {
			delete(fields, key)
		}
	}
	e.fields = fields
	return e, true
}

// parseLevel also accepts the names of other logging libraries, such as WARN+2 of slog.
func parseLevel(name string) slog.Level {
	if level, ok := backend.ParseLevel(name); ok {
		return level
	}
	var level slog.Level
	if level.UnmarshalText([]byte(name)) == nil {
		return level
	}
	switch strings.ToLower(name) {
	case "err", "critical", "dpanic", "panic", "alert", "emergency":
		return slog.LevelError
	}
	return slog.LevelInfo
}
