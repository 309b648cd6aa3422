package frontend

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/slipway-dev/slipway/build/bundlerconfig"
	"github.com/slipway-dev/slipway/bundle/tree"
	"github.com/slipway-dev/slipway/internal/limit"
)

// baseConfig matches the warning about a tsconfig.json that extends one in a package that is not
// installed: it has settings for type checks, and others of which tsconfigRaw decides.
var baseConfig = regexp.MustCompile(`^Cannot find base config file "([^."]|\./node_modules/|\.\./node_modules/)`)

// urlImport matches what importURLs adds to a file, which has the place of the URL.
var urlImport = regexp.MustCompile(`^import __plugin_url_(\d+)_(\d+)__ from `)

// missing is the detail of an error about an import whose package cannot be provided.
type missing struct {
	module       string
	shared, help string // of a sharedError
}

// sharedError is an error of Packages that many packages have for the same reason.
type sharedError interface {
	error
	Shared() (text, help string) // the reason, and what to do about it
}

// Messages turns the bundler's messages into ours, with our own help where we have some. Those about
// the repository come before those about packages. A missing package is one message, at its first import,
// and so is a registry that cannot be reached. The package.json is that of root.
func Messages(root string, list []api.Message) []Message {
	type message struct {
		Message
		module string // import of a missing package, or ""
		shared string // why it and other packages are missing, or ""
	}
	var sorted []message
	imports := map[string]int{}      // by the text about a missing package
	blocked := map[string][]string{} // packages, by the error that they share
	for _, m := range list {
		if baseConfig.MatchString(m.Text) {
			continue
		}
		to := message{Message: Message{Text: lowerFirst(m.Text)}}
		if l := m.Location; l != nil {
			to.File, to.Line, to.Column = filepath.ToSlash(l.File), l.Line, l.Column+1
			if i := strings.LastIndex(to.File, "/node_modules/"); i >= 0 {
				to.File = to.File[i+1:] // wherever the cache is
			}
			to.Source, to.Length = l.LineText, l.Length
			if at := urlImport.FindStringSubmatch(l.LineText); at != nil {
				to.Source, to.Length = "", 0
				to.Line, _ = strconv.Atoi(at[1]) // a number, as the next
				to.Column, _ = strconv.Atoi(at[2])
			}
		}
		for _, note := range m.Notes {
			if to.Help == "" && note.Location == nil {
				to.Help = note.Text
			}
		}
		if detail, ok := m.Detail.(missing); ok {
			to.module = detail.module
			if to.shared = detail.shared; to.shared != "" {
				to.Text, to.Help = strings.TrimSuffix(to.Text, ": "+detail.shared), detail.help
				blocked[to.shared] = append(blocked[to.shared], to.Text)
			}
		} else if found := unresolved.FindStringSubmatch(to.Text); found != nil && isBare(found[1]) {
			to.module = found[1]
		}
		if to.Text, to.Help = explain(root, to.Text, to.Help); to.module == "" && hasJSX(root, to.File) {
			to.Text, to.Help = "JSX in a .ts file", "rename it to "+path.Base(to.File)+"x, as TypeScript requires"
		}
		if to.module != "" {
			imports[to.Text]++
		}
		sorted = append(sorted, to)
	}
	isPackage := func(m message) int {
		if strings.HasPrefix(m.File, "node_modules/") {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(sorted, func(a, c message) int {
		return cmp.Or(isPackage(a)-isPackage(c), strings.Compare(a.File, c.File), a.Line-c.Line, a.Column-c.Column)
	})
	var out []Message
	for _, m := range sorted {
		if m.module != "" {
			n := imports[m.Text]
			if n == 0 {
				continue
			}
			imports[m.Text] = 0
			if packages := blocked[m.shared]; len(packages) > 0 {
				slices.Sort(packages)
				m.Text = m.shared + ", so these packages are missing: " + strings.Join(slices.Compact(packages), ", ")
				out, blocked[m.shared] = append(out, m.Message), nil
			}
			if m.shared != "" {
				continue
			}
			m.Text += importNote(m.Message, m.module, n-1)
		}
		out = append(out, m.Message)
	}
	return out
}

// importNote returns what to say about the first import of a missing package.
func importNote(m Message, module string, more int) string {
	var notes []string
	if 0 < m.Column && m.Column <= len(m.Source) && m.Source[m.Column-1] == '<' { // which is where the bundler places it
		notes = append(notes, "for JSX, which imports "+module)
	}
	switch {
	case more == 1:
		notes = append(notes, "and 1 more import")
	case more > 1:
		notes = append(notes, fmt.Sprintf("and %d more imports", more))
	}
	if notes == nil {
		return ""
	}
	return " (" + strings.Join(notes, "; ") + ")"
}

// hasJSX reports whether a .ts file would be correct as .tsx, where "<" is JSX and no type assertion.
func hasJSX(root, file string) bool {
	if path.Ext(file) != ".ts" {
		return false
	}
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
	isCorrect := func(as api.Loader) bool {
		return len(api.Transform(string(text), api.TransformOptions{Loader: as}).Errors) == 0
	}
	return err == nil && !isCorrect(api.LoaderTS) && isCorrect(api.LoaderTSX)
}

func lowerFirst(text string) string {
	if len(text) > 1 && text[0] >= 'A' && text[0] <= 'Z' && (text[1] < 'A' || text[1] > 'Z') {
		return strings.ToLower(text[:1]) + text[1:]
	}
	return text
}

var (
	unresolved     = regexp.MustCompile(`^could not resolve "([^"]+)"`)
	baseConfigFile = regexp.MustCompile(`^cannot find base config file "([^"]+)"$`)
	noFile         = regexp.MustCompile(`^(?:open (.+): no such file or directory|cannot read file: (.+))$`) // where letters differ in case
	noLoader       = regexp.MustCompile(`^no loader is configured for "([^"]+)" files: (.+)$`)
)

const ownBundler = bundlerconfig.OwnBundler

// explain adds help to the most common errors in a repository.
func explain(root, text, help string) (string, string) {
	if m := unresolved.FindStringSubmatch(text); m != nil {
		name, hasScheme := strings.CutPrefix(m[1], nodeScheme)
		if name = PackageName(name); (hasScheme || bundlerconfig.IsNode(name)) && !isListed(root, name) {
			help = fmt.Sprintf(`if the code works without it, write below "frontend" in slipway.yaml: alias: {%q: false}`, m[1])
			if polyfill, ok := polyfills()[m[1]]; ok {
				help += "; if not, npm install " + PackageName(polyfill)
			}
			return fmt.Sprintf("cannot find %q: browsers do not have the modules of Node.js", m[1]), help
		}
		if info, err := os.Stat(filepath.Join(root, "src", name)); !isBare(m[1]) || err == nil && info.IsDir() { // of baseUrl
			return fmt.Sprintf("cannot find %q", m[1]), "check the path and the case of its letters"
		}
		if name == "app" { // the npm package of that name is unrelated
			return fmt.Sprintf("cannot find %q", m[1]), "only services that run Angular plugins provide it; " + ownBundler
		}
		help = "add it to package.json with the package manager, as in npm install " + name
		if isListed(root, name) {
			help = "package.json lists it: install the packages, as with npm install"
		}
		return fmt.Sprintf("cannot find the package %q", name), help
	}
	if m := noFile.FindStringSubmatch(text); m != nil {
		return fmt.Sprintf("cannot find %q", filepath.Base(m[1]+m[2])), "check the path and the case of its letters"
	}
	if m := noLoader.FindStringSubmatch(text); m != nil {
		kind := "file"
		if m[1] == ".html" { // a template, which webpack's html-loader gives as text
			kind = "text"
		}
		return fmt.Sprintf("no loader for %s files", m[1]),
			fmt.Sprintf(`write below "frontend" in slipway.yaml how to load them, as in loader: {%q: %s}, or %s`, m[1], kind, ownBundler)
	}
	if m := baseConfigFile.FindStringSubmatch(text); m != nil {
		return text, fmt.Sprintf(`restore %s, or correct "extends"`, m[1])
	}
	return text, help
}

// isListed reports whether the package.json of a repository, or one above it in a workspace, lists a package.
func isListed(root, name string) bool {
	text, _ := limit.ReadSettings(filepath.Join(root, "package.json")) // one that cannot be read lists nothing
	var lists struct{ Dependencies, DevDependencies, PeerDependencies, OptionalDependencies map[string]any }
	_ = json.Unmarshal(text, &lists)
	for _, list := range []map[string]any{lists.Dependencies, lists.DevDependencies, lists.PeerDependencies, lists.OptionalDependencies} {
		if _, ok := list[name]; ok {
			return true
		}
	}
	top, isRepo := tree.Boundary(root)
	return isRepo && root != top && isListed(filepath.Dir(root), name)
}
