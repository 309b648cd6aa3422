package provenance

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

// goSumsFile lists the Go files of the source, with a line "<sha256 in hexadecimal>:<path>" for each.
const goSumsFile = "go_plugin_build_manifest"

// goSums compares the list with the Go files of the source.
func (c *comparison) goSums() {
	data, ok := c.text(goSumsFile)
	if !ok {
		return
	}
	listed := map[string]string{}
	for line := range strings.Lines(string(data)) {
		sum, name, ok := strings.Cut(strings.TrimSpace(line), ":")
		if name = strings.ReplaceAll(name, `\`, "/"); ok && !isOfPackage(name) {
			listed[name] = sum
		}
	}
	err := fs.WalkDir(c.source.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "node_modules":
			return fs.SkipDir
		case !d.Type().IsRegular() || path.Ext(name) != ".go":
			return nil
		}
		text, err := c.sourceText(name)
		if err != nil {
			return err
		}
		switch sum, ok := listed[name]; {
		case !ok:
			c.p.Reportf(c.at(goSumsFile), "%s does not list %s of the source", goSumsFile, name)
		case !isSum(sum, text):
			c.p.Reportf(c.at(goSumsFile), "%s lists another text of %s than the source has", goSumsFile, name)
		}
		delete(listed, name)
		return nil
	})
	if err != nil {
		c.p.Reportf(c.at(goSumsFile), "%s cannot be compared with the source: %v", goSumsFile, err)
		return
	}
	for _, name := range slices.Sorted(maps.Keys(listed)) {
		c.p.Reportf(c.at(goSumsFile), "%s lists %s, which is not in the source", goSumsFile, name)
	}
}

// isSum reports whether a checksum is that of a text, as it is or as Git checks it out on Windows.
func isSum(sum string, text []byte) bool {
	of := func(text []byte) string { return fmt.Sprintf("%x", sha256.Sum256(text)) }
	return sum == of(text) || sum == of(bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n")))
}

func isOfPackage(name string) bool { return slices.Contains(strings.Split(name, "/"), "node_modules") }
