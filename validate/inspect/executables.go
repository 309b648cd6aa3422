package inspect

import (
	"bytes"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
)

// maxExecutableBytes limits how much is read of an executable that does not support
// random access, such as an entry of an archive.
const maxExecutableBytes = 256 << 20

// Executable is a file whose name begins like an executable of the plugin.
type Executable struct {
	File     string          // slash path in the tree
	Platform bundle.Platform // in the name; the zero value if there is none
	Info     fs.FileInfo
}

// ExecutableSet is what a built plugin has in the directory of its executables.
type ExecutableSet struct {
	Name    string       // "executable" in plugin.json; "" if there is nothing to look for
	Matches []Executable // files whose names begin with it
	Alike   []Executable // other files whose names begin with it, such as a checksum, which the catalog takes for executables
	Others  []string     // names of the other executables there, without platform
	Err     error        // the directory cannot be listed
}

// Executables holds the executables of a plugin.
var Executables = validate.NewFact(func(p *validate.Pass) (set ExecutableSet) {
	name, _ := p.Doc.Text("/executable")
	if verdict, _ := judge(p, name, false); name == "" || strings.HasSuffix(name, "/") || verdict != PathFine || !p.Doc.Bool("/backend") && !p.IsCatalog {
		return set // other rules report it
	}
	set.Name = name
	dir, base := path.Split(path.Join(p.Dir, name))
	dir = path.Clean(dir)
	entries, err := fs.ReadDir(p.FS, dir)
	if err != nil {
		set.Err = err
		return set
	}
	for _, e := range entries {
		file := path.Join(dir, e.Name())
		rest, isMatch := strings.CutPrefix(e.Name(), base)
		if info, err := fs.Stat(p.FS, file); err != nil || info.IsDir() {
			continue
		} else if isMatch && (rest == "" || rest == ".exe" || strings.HasPrefix(rest, "_")) {
			suffix, platform := splitExecutable(rest)
			if suffix != "" { // the name of another executable that begins like this one
				platform = bundle.Platform{}
			}
			if platform == (bundle.Platform{}) {
				set.Alike = append(set.Alike, Executable{File: file, Info: info})
			}
			set.Matches = append(set.Matches, Executable{File: file, Platform: platform, Info: info})
		} else if isMatch {
			set.Alike = append(set.Alike, Executable{File: file, Info: info})
		} else if other, platform := splitExecutable(e.Name()); platform != (bundle.Platform{}) && !slices.Contains(set.Others, other) {
			set.Others = append(set.Others, other)
		}
	}
	return set
})

// splitExecutable splits the file name of an executable, whose platform is the zero value
// if the name has none.
func splitExecutable(file string) (name string, p bundle.Platform) {
	name, p, ok := bundle.SplitExecutable(file)
	if !ok || p.Executable(name) != file { // such as Windows without .exe
		return "", bundle.Platform{}
	}
	return name, p
}

// ReadPlatform reads the header of the file and returns the platform it was built for.
func (e Executable) ReadPlatform(p *validate.Pass) (bundle.Platform, error) {
	f, err := OpenFile(p, p.Root, e.File)
	if err != nil {
		return bundle.Platform{}, err
	}
	defer f.Close()
	if r, ok := f.(io.ReaderAt); ok {
		return bundle.ExecutablePlatform(r)
	}
	data, err := io.ReadAll(io.LimitReader(f, maxExecutableBytes))
	if err != nil {
		return bundle.Platform{}, err
	}
	return bundle.ExecutablePlatform(bytes.NewReader(data))
}
