package serve

import (
	"log/slog"
	"strings"
	"testing"
)

func TestMessagesWithLines(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	var told []string
	log := NewLogger(&b, func(r slog.Record) { told = append(told, r.Message) }).With("plugin", "a")
	log.Error("panic: oh\n\tat \x1b[31m\ntime=forged", "n", 1)
	log.Info("one line")
	lines := strings.Split(b.String(), "\n")
	if len(lines) != 5 || !strings.HasSuffix(lines[0], ` level=ERROR msg="panic: oh" plugin=a n=1`) ||
		!strings.HasSuffix(told[0], "=forged") || told[1] != "one line" ||
		lines[1] != "    | \tat \uFFFD[31m" || lines[2] != "    | time=forged" || !strings.HasSuffix(lines[3], ` msg="one line" plugin=a`) {
		t.Errorf("%q", lines)
	}
}
