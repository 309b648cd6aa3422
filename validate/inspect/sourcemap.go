package inspect

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/slipway-dev/slipway/internal/limit"
)

// SourceMap is the source map of a module.js: the names of its sources and their text.
type SourceMap struct {
	Sources        []string
	SourcesContent []string
}

// ReadSourceMap reads a source map that contains its sources.
func ReadSourceMap(fsys fs.FS, name string) (*SourceMap, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := limit.ReadAll(f, MaxScriptBytes)
	if err != nil {
		return nil, fmt.Errorf("the source map cannot be read: %w", err)
	}
	var m SourceMap
	switch err := json.Unmarshal(data, &m); {
	case err != nil:
		return nil, errors.New("the source map is not valid JSON")
	case len(m.Sources) == 0:
		return nil, errors.New(`the source map has no "sources"`)
	case len(m.SourcesContent) == 0:
		return nil, errors.New(`the source map has no "sourcesContent"`)
	case len(m.Sources) != len(m.SourcesContent):
		return nil, fmt.Errorf(`the source map has %d "sources", but %d "sourcesContent"`, len(m.Sources), len(m.SourcesContent))
	}
	return &m, nil
}
