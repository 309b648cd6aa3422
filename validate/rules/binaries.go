package rules

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

const executablePointer = "/executable"

// maxBinaryBytes is the size beyond which a program is not read where it cannot be
// read in parts, as in an archive.
const maxBinaryBytes = 256 << 20

// binary is a file that lies where an executable of the plugin is looked for.
type binary struct {
	file     string          // slash path in the tree
	platform bundle.Platform // that its name says; the zero value where it says none
	info     fs.FileInfo
}

// binaries is what a built plugin has in the place of its executables.
type binaries struct {
	name    string   // executable as plugin.json has it; "" where there is nothing to look for
	matches []binary // whose names begin with it
	others  []string // names that other executables there have, without the platform
	err     error    // the folder cannot be listed
}

type binariesKey struct{}

// binariesOf lists the executables of a plugin once for all rules that ask.
func binariesOf(p *validate.Pass) binaries {
	return validate.Fact(p, binariesKey{}, func() (b binaries) {
		name, _ := p.Doc.Text(executablePointer)
		if verdict, _ := judge(p, name, false); name == "" || strings.HasSuffix(name, "/") || verdict != pathFine || !p.Doc.Bool("/backend") {
			return b // other rules speak of it
		}
		b.name = name
		dir, base := path.Split(path.Join(p.Dir, name))
		dir, ok := follow(p.FS, p.Root, path.Clean(dir))
		if !ok {
			b.err = errOutside
			return b
		}
		entries, err := fs.ReadDir(p.FS, dir)
		if err != nil {
			b.err = err
			return b
		}
		for _, e := range entries {
			file := path.Join(dir, e.Name())
			rest, isMatch := strings.CutPrefix(e.Name(), base)
			if info, err := fs.Stat(p.FS, file); err != nil || info.IsDir() {
				continue
			} else if isMatch && (rest == "" || rest == ".exe" || strings.HasPrefix(rest, "_")) {
				b.matches = append(b.matches, binary{file: file, platform: platformOf(rest), info: info})
			} else if other, platform := splitExecutable(e.Name()); platform != (bundle.Platform{}) && !slices.Contains(b.others, other) {
				b.others = append(b.others, other)
			}
		}
		return b
	})
}

// platformOf reads the end of the name of an executable, such as _linux_amd64.
func platformOf(end string) bundle.Platform {
	os, arch, _ := strings.Cut(strings.TrimPrefix(end, "_"), "_")
	p := bundle.Platform{OS: os, Arch: strings.TrimSuffix(arch, ".exe")}
	known, err := bundle.ParsePlatforms(p.String())
	if err != nil || len(known) != 1 || !slices.Contains(architectures(), p.Arch) || p.Executable("") != end {
		return bundle.Platform{}
	}
	return p
}

// architectures are those that an executable can be for.
func architectures() []string {
	return strings.Fields("amd64 arm64 arm 386 riscv64 s390x loong64 mips mipsle mips64 mips64le ppc64 ppc64le")
}

// splitExecutable splits the name of an executable into its name and its platform,
// the zero value if it is none.
func splitExecutable(file string) (string, bundle.Platform) {
	for i := range file {
		if file[i] == '_' {
			if p := platformOf(file[i:]); p != (bundle.Platform{}) {
				return file[:i], p
			}
		}
	}
	return "", bundle.Platform{}
}

// header reads which platform a program is for.
func header(p *validate.Pass, b binary) (bundle.Platform, error) {
	f, err := openFile(p, p.Root, b.file)
	if err != nil {
		return bundle.Platform{}, err
	}
	defer f.Close()
	if r, ok := f.(io.ReaderAt); ok {
		return bundle.ExecutablePlatform(r)
	}
	data, err := io.ReadAll(io.LimitReader(f, maxBinaryBytes))
	if err != nil {
		return bundle.Platform{}, err
	}
	return bundle.ExecutablePlatform(bytes.NewReader(data))
}

// namedHere is the place of the name that the executables must begin with.
func namedHere(p *validate.Pass) []validate.Related {
	return []validate.Related{{Place: p.Value(executablePointer), Message: "plugin.json names the executable here"}}
}
