package serve

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"strings"
	"sync"

	"github.com/slipway-dev/slipway/internal/terminal"
)

// linesHandler writes records as slog.TextHandler does, except that it prints the second and
// further lines of a message, such as a panic of a plugin, indented below the record.
type linesHandler struct {
	slog.Handler
	out *linesOutput
}

type linesOutput struct {
	mu     sync.Mutex
	record bytes.Buffer // that Handler has written
	w      io.Writer
	each   func(slog.Record)
}

// NewLogger returns the logger of a host. It calls a function after each record that it has written.
func NewLogger(w io.Writer, each func(slog.Record)) *slog.Logger {
	out := &linesOutput{w: w, each: each}
	return slog.New(linesHandler{slog.NewTextHandler(&out.record, nil), out})
}

// Handle implements slog.Handler.
func (h linesHandler) Handle(ctx context.Context, r slog.Record) error {
	defer h.out.each(r)
	first, rest, _ := strings.Cut(r.Message, "\n")
	r.Message = first
	h.out.mu.Lock()
	defer h.out.mu.Unlock()
	h.out.record.Reset()
	if err := h.Handler.Handle(ctx, r); err != nil {
		return err
	}
	for line := range strings.Lines(rest) {
		h.out.record.WriteString("    | " + terminal.Printable(strings.TrimSuffix(line, "\n")) + "\n")
	}
	_, err := h.out.w.Write(h.out.record.Bytes())
	return err
}

// WithAttrs implements slog.Handler.
func (h linesHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return linesHandler{h.Handler.WithAttrs(attrs), h.out}
}

// WithGroup implements slog.Handler.
func (h linesHandler) WithGroup(name string) slog.Handler {
	return linesHandler{h.Handler.WithGroup(name), h.out}
}
