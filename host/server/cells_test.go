package server

import (
	"testing"

	"github.com/slipway-dev/slipway/host/gate"
	"github.com/slipway-dev/slipway/loader"
)

func TestFrameCells(t *testing.T) {
	t.Parallel()
	for message, want := range map[int]int{
		0: gate.MaxFrameCells, 1 << 20: gate.MaxFrameCells, loader.DefaultMessage: gate.MaxFrameCells, 512 << 20: 16 * gate.MaxFrameCells,
	} {
		if got := frameCells(message); got != want {
			t.Errorf("messages of %d bytes: %d values, want %d", message, got, want)
		}
	}
}
