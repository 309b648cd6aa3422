package bundle

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/slipway-dev/slipway/internal/testkit"
)

// TestCheckComplete cuts off the end of the test executable.
func TestCheckComplete(t *testing.T) {
	t.Parallel()
	self := testkit.Must(os.Executable())(t)
	data := testkit.Must(os.ReadFile(filepath.Clean(self)))(t)
	size := int64(len(data))
	for _, kept := range []int64{size, size + 100} {
		whole := append(bytes.Clone(data), make([]byte, kept-size)...)
		if err := CheckComplete(bytes.NewReader(whole), kept); err != nil {
			t.Errorf("%d of %d bytes: %v", kept, size, err)
		}
	}
	for _, kept := range []int64{size / 10, size / 2, size * 9 / 10} {
		if err := CheckComplete(bytes.NewReader(data[:kept]), kept); err == nil {
			t.Errorf("no error for %d of %d bytes", kept, size)
		}
	}
	for _, text := range []string{"", "#!/bin/sh\n"} {
		if err := CheckComplete(bytes.NewReader([]byte(text)), int64(len(text))); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}
