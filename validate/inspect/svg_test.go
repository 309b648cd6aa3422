package inspect

import (
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/testkit"
)

// TestEntitiesThatExhaustMemory requires that entities are not expanded to more bytes than an
// image may have.
func TestEntitiesThatExhaustMemory(t *testing.T) {
	t.Parallel()
	value := strings.Repeat("x", MaxImageBytes/8)
	for references, want := range map[int]string{8: "", 9: "declares entities that can exhaust memory"} {
		image := `<!DOCTYPE svg [<!ENTITY a "` + value + `">]><svg x="` + strings.Repeat("&a;", references) + `&#10;"/>`
		dangers := testkit.Must(ScanSVG([]byte(image)))(t)
		got := ""
		for _, d := range dangers {
			got += d.Problem
		}
		if got != want {
			t.Errorf("%d references: got %q, want %q", references, got, want)
		}
	}
}
