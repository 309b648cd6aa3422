package build

import (
	"bytes"
	"context"
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
		if c := p.Commands[i]; c.inputs != "" && c.inputs == before[i].inputs {
			result.made.add(e.File, c.inputs, nil, e.File)
		}
	}
}

// digestInputs sets what each command compiles, unless only the go command knows.
func (p *Plan) digestInputs(ctx context.Context) {
	modules := map[string]string{}
	for i := range p.Commands {
		c := &p.Commands[i]
		if _, ok := modules[c.module]; !ok {
			modules[c.module], _ = p.commonInputs(ctx, c.module) // after an error, the go command decides
		}
		if c.inputs = modules[c.module]; c.inputs != "" {
			in := newInputs()
			in.add(c.inputs, fmt.Appendf(nil, "%q\n%q", c.Args, c.Env))
			c.inputs = in.digest()
		}
	}
}

// settings lists the settings of the go command that change its output.
func settings() []string {
	return []string{"GOWORK", "GOVERSION", "GOROOT", "GOFLAGS", "GOEXPERIMENT", "GOMODCACHE", "GOFIPS140",
		"GO386", "GOAMD64", "GOARM", "GOARM64", "GOMIPS", "GOMIPS64", "GOPPC64", "GORISCV64", "GOWASM"}
}

// commonInputs returns a digest of what all executables of a module are compiled from. The error is
// why that is not known.
func (p *Plan) commonInputs(ctx context.Context, module string) (string, error) {
	if p.options.Backend.Cgo {
		return "", errors.New("a C compiler reads files from elsewhere")
	}
	if !filepath.IsLocal(p.relative(module)) {
		return "", errors.New("the module contains more than the repository")
	}
	env, err := p.goOutput(ctx, module, append([]string{"env"}, settings()...)...)
	if err != nil {
		return "", err
	}
	if work, _, _ := bytes.Cut(env, []byte("\n")); len(bytes.TrimSpace(work)) > 0 && string(work) != "off" {
		return "", errors.New("a workspace may add any module")
	}
	for _, flag := range []string{"-overlay", "-modfile", "-pgo"} {
		if bytes.Contains(env, []byte(flag)) {
			return "", fmt.Errorf("%s in GOFLAGS adds files from elsewhere", flag)
		}
	}
	in := newInputs()
	for i, value := range bytes.Split(env, []byte("\n")) {
		if i < len(settings()) {
			in.add("go env "+settings()[i], value)
		}
	}
	dirs, err := p.localModules(ctx, module)
	if err != nil {
		return "", err
	}
	for _, dir := range dirs {
		if err := p.digestTree(in, dir); err != nil {
			return "", err
		}
	}
	return in.digest(), nil
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
			return digestLink(in, name, path)
		case !d.Type().IsRegular():
			return fmt.Errorf("%s is not a regular file", name)
		}
		return in.addFile(name, path)
	})
}

// digestLink adds a symbolic link to a file, which the go command compiles.
func digestLink(in inputs, name, link string) error {
	info, err := os.Stat(link)
	switch {
	case err != nil: // broken
		in.add(name, nil)
		return nil
	case info.IsDir():
		return fmt.Errorf("the link %s may lead to a package", name)
	case !info.Mode().IsRegular():
		return nil // nothing compiles a device
	}
	return in.addFile(name, link)
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
