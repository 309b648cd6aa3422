package bundle

import (
	"os"
	"path/filepath"

	"github.com/slipway-dev/slipway/internal/limit"
)

// Open opens a regular file of the plugin by its slash path. Open returns an error if the path
// or a symbolic link leads out of the plugin's directory.
func (p Plugin) Open(name string) (*os.File, error) {
	root, err := os.OpenRoot(p.Dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return limit.OpenRegular(root.OpenFile, filepath.FromSlash(name))
}
