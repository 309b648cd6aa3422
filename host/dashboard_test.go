package host_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/gate"
)

// The tags of a dashboard are limited, and so is their total size.
func TestTagBytes(t *testing.T) {
	t.Parallel()
	for length, want := range map[int]error{gate.MaxTagBytes / 32: nil, gate.MaxTagBytes/32 + 1: host.ErrInvalid} {
		d := host.Dashboard{Title: "x"}
		for n := range 32 {
			d.Tags = append(d.Tags, fmt.Sprintf("%02d%s", n, strings.Repeat("x", length-2)))
		}
		if err := d.Check(); !errors.Is(err, want) {
			t.Errorf("32 tags of %d bytes: %v, want %v", length, err, want)
		}
	}
	many := host.Dashboard{Title: "x"}
	for n := range gate.MaxTags + 1 {
		many.Tags = append(many.Tags, fmt.Sprint(n))
	}
	if err := many.Check(); !errors.Is(err, host.ErrInvalid) {
		t.Errorf("%d tags: %v", len(many.Tags), err)
	}
}
