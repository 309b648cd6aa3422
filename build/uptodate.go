package build

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/process"
)

// The go command takes 0.15 s to find that one executable is up to date, and a second
// for six. A build therefore records, in the user's cache, what each executable was made
// of, and skips the go command until that changes: the contents of the module and of
// local replacements, go.sum for all other modules, and the settings of the go command.

// recordExecutables records the executables, unless what they were compiled from was
// edited during the build: that may have been before or after the go command read it. If
// all were kept from the previous build, its record remains.
func (p *Plan) recordExecutables(ctx context.Context, result *Result) {
	isCompiled := func(e Executable) bool { return !e.UpToDate }
	if p.options.Update || !slices.ContainsFunc(result.Executables, isCompiled) {
		return
	}
	before := slices.Clone(p.Commands)
	p.digestInputs(ctx)
	for i, e := range result.Executables {
		c := p.Commands[i]
		if before[i].inputs != nil && c.inputs != nil && before[i].inputs.digest() == c.inputs.digest() {
			result.made.add(e.File, c.inputs, made{Flags: c.flags}, e.File)
		}
	}
}

// digestInputs sets what each command compiles, unless only the go command knows.
func (p *Plan) digestInputs(ctx context.Context) {
	modules, unknown := map[string]inputs{}, map[string]error{}
	for i := range p.Commands {
		c := &p.Commands[i]
		if _, ok := modules[c.module]; !ok {
			modules[c.module], unknown[c.module] = p.commonInputs(ctx, c.module)
		}
		c.inputs, c.unknown = modules[c.module], unknown[c.module]
		sum := sha256.Sum256(fmt.Appendf(nil, "%q\n%q", c.Args, c.Env))
		c.flags = hex.EncodeToString(sum[:])
	}
}

// commandChange returns why a command runs, "" if its executable is current.
func (p *Plan) commandChange(c Command, previous record) string {
	if c.unknown != nil {
		return "only the go command knows what it compiles: " + c.unknown.Error()
	}
	return p.change(previous, c.Output, c.inputs, c.flags)
}

// settings lists the settings of the go command that change its output.
func settings() []string {
	return []string{"GOWORK", "GOVERSION", "GOROOT", "GOFLAGS", "GOEXPERIMENT", "GOMODCACHE", "GOFIPS140",
		"GO386", "GOAMD64", "GOARM", "GOARM64", "GOMIPS", "GOMIPS64", "GOPPC64", "GORISCV64", "GOWASM"}
}

// commonInputs returns what all executables of a module are compiled from.
func (p *Plan) commonInputs(ctx context.Context, module string) (inputs, error) {
	if p.options.Backend.Cgo {
		return nil, errors.New("a C compiler reads files from elsewhere")
	}
	if !filepath.IsLocal(p.relative(module)) {
		return nil, errors.New("the module contains more than the repository")
	}
	env, err := p.goOutput(ctx, module, append([]string{"env"}, settings()...)...)
	if err != nil {
		return nil, err
	}
	if work, _, _ := bytes.Cut(env, []byte("\n")); len(bytes.TrimSpace(work)) > 0 && string(work) != "off" {
		return nil, errors.New("a workspace may add any module")
	}
	for _, flag := range []string{"-overlay", "-modfile", "-pgo"} {
		if bytes.Contains(env, []byte(flag)) {
			return nil, fmt.Errorf("%s in GOFLAGS adds files from elsewhere", flag)
		}
	}
	in := inputs{}
	for i, value := range bytes.Split(env, []byte("\n")) {
		if i < len(settings()) {
			in.add("go env "+settings()[i], value)
		}
	}
	dirs, err := p.localModules(ctx, module)
	if err != nil {
		return nil, err
	}
	for _, dir := range dirs {
		if err := p.digestTree(in, dir); err != nil {
			return nil, err
		}
	}
	return in, nil
}

// localModules returns the directories of the modules that can change while go.sum
// stays the same: the repository and local replacements.
func (p *Plan) localModules(ctx context.Context, module string) ([]string, error) {
	out, err := p.goOutput(ctx, module, "mod", "edit", "-json")
	if err != nil {
		return nil, err
	}
	var mod struct {
		Replace []struct {
			New struct{ Path, Version string }
		}
	}
	if err := json.Unmarshal(out, &mod); err != nil {
		return nil, err
	}
	dirs := []string{p.Repo.Root}
	for _, r := range mod.Replace {
		if r.New.Version != "" {
			continue
		}
		dir := filepath.FromSlash(r.New.Path)
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(module, dir)
		}
		dirs = append(dirs, dir)
	}
	return dirs, nil
}

func (p *Plan) goOutput(ctx context.Context, module string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = module, p.goEnviron()
	return process.Output(cmd)
}

// digestTree adds the path and contents of every file that a package of a module could
// contain or embed.
func (p *Plan) digestTree(in inputs, root string) error {
	root, err := filepath.EvalSymlinks(root) // a symbolic link to a directory cannot be walked
	if err != nil {
		return err
	}
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(p.relative(path))
		switch {
		case d.IsDir() && p.isIgnored(root, rel):
			return filepath.SkipDir
		case d.IsDir() || p.isIgnored(root, rel) || p.isPacked(root, rel):
			return nil
		case d.Type()&fs.ModeSymlink != 0:
			return p.digestLink(in, root, name, path)
		case !d.Type().IsRegular():
			return fmt.Errorf("%s is not a regular file", name)
		}
		return in.addFile(name, path)
	})
}

// digestLink adds a symbolic link. The go command compiles what a link points to, even if
// that is the directory of a package. It embeds no link.
func (p *Plan) digestLink(in inputs, root, name, link string) error {
	text, err := os.Readlink(link)
	if err != nil {
		return err
	}
	target, err := filepath.EvalSymlinks(link)
	if err != nil { // broken
		in.add(name, []byte("link to "+text))
		return nil
	}
	info, err := os.Stat(target)
	if err != nil {
		return err
	}
	rel, err := filepath.Rel(root, target)
	isInside := err == nil && filepath.IsLocal(rel)
	switch {
	case info.Mode().IsRegular() && isInside:
		return in.addFile(name, link)
	case info.Mode().IsRegular(): // not to be read, as it may be anything
		in.add(name, fmt.Appendf(nil, "link to %s, %d %d", target, info.Size(), info.ModTime().UnixNano()))
		return nil
	case info.IsDir() && (!isInside || p.isInIgnored(root, rel)):
		return fmt.Errorf("the link %s points to a directory that is not checked for changes", name)
	}
	in.add(name, []byte("link to "+target))
	return nil
}

// isInIgnored reports whether a path is, or is in, a directory that isIgnored.
func (p *Plan) isInIgnored(root, rel string) bool {
	for ; rel != "."; rel = filepath.Dir(rel) {
		if p.isIgnored(root, rel) {
			return true
		}
	}
	return false
}

// isPacked reports whether a file is what package writes by default, which no backend embeds.
func (p *Plan) isPacked(root, rel string) bool {
	return root == p.Repo.Root && filepath.Dir(rel) == "release" &&
		slices.ContainsFunc([]string{".zip", ".sha256", ".sha1", ".cdx.json"}, func(suffix string) bool { return strings.HasSuffix(rel, suffix) })
}

// isIgnored reports whether no package uses a directory of a module: what builds write,
// and directories that are too large to read and never embedded.
func (p *Plan) isIgnored(root, rel string) bool {
	isOwn := root == p.Repo.Root && (rel == bundle.DistDir || strings.HasPrefix(rel, ".slipway"))
	return isOwn || rel == "node_modules" || filepath.Base(rel) == ".git"
}
