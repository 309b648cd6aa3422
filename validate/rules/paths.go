package rules

import (
	"errors"
	"io/fs"
	"path"
	"runtime"
	"strings"

	"github.com/slipway-dev/slipway/validate"
)

// verdict is what is wrong with a path; each path has at most one.
type verdict int

const (
	pathFine verdict = iota
	pathIsAbsolute
	pathEscapes
	pathIsMissing
	pathHasOtherCase
)

// asset is a path that plugin.json names and what is wrong with it.
type asset struct {
	pointer string
	text    string
	verdict verdict
	detail  string // what is wrong, to follow the path in a message
	isFile  bool
	file    string // where it leads, if it is fine
	meant   string // as it must be written, where that is known
}

type assetsKey struct{}

// assets judges every path of the plugin, once for all rules that ask.
func assets(p *validate.Pass) []asset {
	return validate.Fact(p, assetsKey{}, func() []asset {
		var all []asset
		add := func(pointer string, isFile bool) {
			if text, ok := p.Doc.Text(pointer); ok {
				a := asset{pointer: pointer, text: text, isFile: isFile}
				a.verdict, a.detail = judge(p, text, isFile)
				a.look(p)
				all = append(all, a)
			}
		}
		add("/info/logos/small", true)
		add("/info/logos/large", true)
		for _, item := range p.Doc.Items("/info/screenshots") {
			add(item+"/path", true)
		}
		for _, item := range p.Doc.Items("/includes") {
			if kind, _ := p.Doc.Text(item + "/type"); kind == "dashboard" {
				add(item+"/path", true)
			}
		}
		add("/executable", false) // the names of the files have an ending for the platform
		return all
	})
}

// look finds out which file is meant.
func (a *asset) look(p *validate.Pass) {
	switch {
	case a.verdict == pathIsAbsolute && !strings.Contains(a.text, ":"):
		slashed := path.Clean(strings.TrimLeft(strings.ReplaceAll(a.text, `\`, "/"), "/"))
		if v, _ := judge(p, slashed, true); v == pathFine {
			a.meant = slashed
		}
	case a.isFile && (a.verdict == pathIsMissing || a.verdict == pathFine && ignoresCase(runtime.GOOS)):
		name := path.Join(p.Dir, a.text)
		actual := spelling(p, name)
		if a.text == "" || actual == "" || actual == name {
			break
		}
		if info, err := fs.Stat(p.FS, actual); err == nil && !info.IsDir() {
			a.verdict, a.meant = pathHasOtherCase, relative(p.Dir, actual)
		}
	}
	if a.verdict == pathFine && a.isFile {
		a.file = path.Join(p.Dir, a.text)
	}
}

// ignoresCase says whether files are found there by names in another case.
func ignoresCase(os string) bool { return os == "windows" || os == "darwin" }

// spelling returns the one path in the root of the plugin that differs from name at
// most in the case of its letters; "" if there is none or more than one.
func spelling(p *validate.Pass, name string) string {
	at := p.Root
	for part := range strings.SplitSeq(below(p.Root, name), "/") {
		entries, err := fs.ReadDir(p.FS, at)
		if err != nil {
			return ""
		}
		var like []string
		for _, e := range entries {
			if e.Name() == part {
				like = []string{part}
				break
			}
			if strings.EqualFold(e.Name(), part) {
				like = append(like, e.Name())
			}
		}
		if len(like) != 1 {
			return ""
		}
		at = path.Join(at, like[0])
	}
	return at
}

// relative returns the path from a folder to a file; both are clean slash paths in
// one tree.
func relative(dir, name string) string {
	up := ""
	for dir != "." && name != dir && !strings.HasPrefix(name, dir+"/") {
		dir, up = path.Dir(dir), up+"../"
	}
	return up + below(dir, name)
}

// judge says what is wrong with a path of the plugin.
func judge(p *validate.Pass, text string, isFile bool) (verdict, string) {
	switch scheme, _, hasScheme := strings.Cut(text, ":"); {
	case hasScheme && len(scheme) == 1 && isLetters(scheme):
		return pathIsAbsolute, "begins with a drive of Windows"
	case hasScheme && isLetters(scheme):
		return pathIsAbsolute, "is an address, not a file of the plugin"
	case strings.HasPrefix(text, "/"):
		return pathIsAbsolute, "begins with a slash"
	case strings.Contains(text, `\`):
		return pathIsAbsolute, `has a backslash, which only Windows takes for a separator`
	}
	name := path.Join(p.Dir, text)
	if !isInside(p.Root, name) {
		return pathEscapes, "leads out of the plugin"
	}
	if !isFile {
		return pathFine, ""
	}
	if text == "" {
		return pathIsMissing, "is empty"
	}
	name, staysInside := follow(p.FS, p.Root, name)
	if !staysInside {
		return pathEscapes, "is a symbolic link out of the plugin"
	}
	info, err := fs.Stat(p.FS, name)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrInvalid):
		return pathIsMissing, "leads to no file"
	case err != nil:
		return pathIsMissing, "cannot be opened: " + err.Error()
	case info.IsDir():
		return pathIsMissing, "leads to a folder"
	}
	return pathFine, ""
}
