package arch

import (
	"bytes"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/testkit"
)

// root is the root of the repository.
const root = "../.."

// documents returns the documents that people write, by path.
func documents(t *testing.T) map[string]string {
	t.Helper()
	names := testkit.Must(filepath.Glob(filepath.Join(root, "doc", "*.md")))(t)
	texts := map[string]string{}
	for _, name := range append(names, filepath.Join(root, "README.md"), filepath.Join(root, "CONTRIBUTING.md")) {
		if base := filepath.Base(name); base == "rules.md" || base == "commands.md" {
			continue // generated
		}
		data := testkit.Must(os.ReadFile(name))(t)
		texts[name] = string(data)
	}
	return texts
}

var (
	fence     = regexp.MustCompile("(?ms)^```.*?^```$")
	codeSpan  = regexp.MustCompile("`([^`]+)`")
	link      = regexp.MustCompile(`\]\(([^)#\s]+)`)
	localPath = regexp.MustCompile(`^\.?[A-Za-z][\w.-]*(?:/[\w.-]+)*$`)
	treeLine  = regexp.MustCompile(`(?m)^((?:[\w.-]+/?)+(?:, (?:[\w.-]+/)+)*)  +\S`)
)

// TestPathsInDocuments requires that every path in a link, a code span, a tree or a list
// of imports exists.
func TestPathsInDocuments(t *testing.T) {
	t.Parallel()
	checked, standard := 0, standardPackages(t)
	for name, text := range documents(t) {
		check := func(dir, path string) {
			checked++
			if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(path))); errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: %s does not exist", name, path)
			} else if err != nil {
				t.Error(err)
			}
		}
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if !strings.Contains(m[1], "://") {
				check(filepath.Dir(name), m[1])
			}
		}
		var words []string
		for _, m := range codeSpan.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
			words = append(words, strings.Fields(m[1])...)
		}
		for _, block := range fence.FindAllString(text, -1) {
			for _, m := range treeLine.FindAllStringSubmatch(block, -1) {
				for path := range strings.SplitSeq(m[1], ", ") {
					if strings.HasSuffix(path, "/") || strings.HasSuffix(path, ".go") {
						check(root, path)
					}
				}
			}
			for line := range strings.Lines(block) {
				if strings.Contains(line, " -> ") {
					words = append(words, strings.Fields(strings.ReplaceAll(line, ",", " "))...)
				}
			}
		}
		for _, word := range words {
			if path, ok := repositoryPath(word, standard); ok {
				check(root, path)
			}
		}
	}
	if checked < 50 {
		t.Errorf("found only %d paths in the documents", checked)
	}
}

// repositoryPath returns the path in this repository that a word looks like.
func repositoryPath(word string, standard []string) (path string, ok bool) {
	path = strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(word, "./"), "..."), "/")
	first, _, _ := strings.Cut(path, "/")
	switch {
	case !strings.Contains(word, "/") || !localPath.MatchString(path):
		return "", false
	case first == "src" || first == "dist" || first == ".slipway": // of a plugin repository
		return "", false
	case slices.Contains(standard, path):
		return "", false
	case strings.Contains(strings.TrimPrefix(first, "."), "."): // an import path, such as golang.org/x/sync
		return "", false
	}
	return path, true
}

// standardPackages returns the import paths of the standard library.
func standardPackages(t *testing.T) []string {
	t.Helper()
	out := testkit.Must(exec.CommandContext(t.Context(), "go", "list", "std").Output())(t)
	return strings.Fields(string(out))
}

var mageCommand = regexp.MustCompile(`go tool mage\s+([a-zA-Z][\w:]*)((?:\s+-\w+(?:=\S+)?)*)`)

// TestTargetsInDocuments requires that every Mage target exists, with its options.
func TestTargetsInDocuments(t *testing.T) {
	t.Parallel()
	targets := map[string]map[string]bool{} // options by target
	names := testkit.Must(filepath.Glob(filepath.Join(root, "targets", "*.go")))(t)
	for _, name := range append(names, filepath.Join(root, "magefile.go"), filepath.Join(root, "magefile_demo.go")) {
		file := testkit.Must(parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution))(t)
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Name.IsExported() && !strings.HasSuffix(name, "_test.go") {
				addTarget(targets, f)
			}
		}
	}
	found := 0
	for name, text := range documents(t) {
		for _, m := range mageCommand.FindAllStringSubmatch(text, -1) {
			found++
			options, isTarget := targets[strings.ToLower(m[1])]
			if !isTarget {
				t.Errorf("%s: there is no target %q", name, m[1])
				continue
			}
			for option := range strings.FieldsSeq(m[2]) {
				option, _, _ = strings.Cut(strings.TrimPrefix(option, "-"), "=")
				if !options[strings.ToLower(option)] {
					t.Errorf("%s: target %q has no option %q", name, m[1], option)
				}
			}
		}
	}
	if found < 10 {
		t.Errorf("found only %d targets in the documents", found)
	}
}

// addTarget adds a function or a method of a namespace to the targets. Its parameters
// are the options.
func addTarget(targets map[string]map[string]bool, f *ast.FuncDecl) {
	name := strings.ToLower(f.Name.Name)
	if f.Recv != nil {
		namespace, ok := f.Recv.List[0].Type.(*ast.Ident)
		if !ok {
			return
		}
		name = strings.ToLower(namespace.Name) + ":" + name
	}
	if targets[name] == nil { // scaffold, validate and build are also targets here, with fewer options
		targets[name] = map[string]bool{}
	}
	for _, field := range f.Type.Params.List {
		for _, param := range field.Names {
			targets[name][strings.ToLower(param.Name)] = true
		}
	}
}

// TestBannedWords requires that no tracked file contains a word that the glossary
// replaces. The word for an edit that resolves a finding is "fix".
func TestBannedWords(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), "git", "ls-files", "-z")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Skipf("list tracked files: %v", err)
	}
	banned := regexp.MustCompile(`(?i)\bm` + `end(?:s|ed|ing)?\b`)
	for name := range strings.SplitSeq(strings.TrimRight(string(out), "\x00"), "\x00") {
		if name == "LICENSE" || filepath.Base(name) == "go.sum" {
			continue
		}
		if word := banned.FindString(name); word != "" {
			t.Errorf("%s: the name contains %q", name, word)
		}
		data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if errors.Is(err, fs.ErrNotExist) {
			continue // deleted, but not committed yet
		}
		if err != nil {
			t.Fatal(err)
		}
		if bytes.ContainsRune(data[:min(len(data), 8000)], 0) {
			continue // binary
		}
		for n, line := range strings.Split(string(data), "\n") {
			if word := banned.FindString(line); word != "" {
				t.Errorf("%s:%d: %q", name, n+1, word)
			}
		}
	}
}
