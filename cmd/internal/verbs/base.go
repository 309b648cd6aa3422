package verbs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/nearest"
	"github.com/slipway-dev/slipway/internal/process"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/templates"
)

// createPlugin is the generator whose build files Grafana's catalog requires.
const createPlugin = "create-plugin"

// runBase creates a repository with create-plugin, and adds Slipway to it.
func runBase(ctx context.Context, w *os.File, o scaffoldOptions) error {
	args, err := o.createPlugin()
	if err != nil {
		return err
	}
	dir, err := filepath.Abs(cmp.Or(o.Dir, o.ID))
	if err != nil {
		return err
	}
	if err := templates.CheckDir(dir, false); err != nil {
		return o.refused(err)
	}
	help := fmt.Sprintf("\nhelp: create-plugin needs Node.js and the network; without %s, the plugin works the same, but is not ready for Grafana's catalog",
		o.Face.Option("base"))
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	temp, err := os.MkdirTemp(filepath.Dir(dir), ".slipway-scaffold-")
	if err != nil {
		return err
	}
	defer func() { _ = process.RemoveAll(temp) }()
	output, err := runNode(ctx, "running create-plugin", temp, "npx", args...)
	if ctx.Err() != nil {
		return errors.New("interrupted; nothing was created")
	}
	if err != nil {
		return fmt.Errorf("scaffold: create-plugin: %w%s", err, help)
	}
	made := filepath.Join(temp, o.ID)
	if _, err := os.Stat(made); err != nil {
		others, _ := os.ReadDir(temp)
		if len(others) == 0 {
			return fmt.Errorf("scaffold: create-plugin created nothing:\n%s", output)
		}
		return Usage("create-plugin makes the id %q from this name and author: use that id, or others with %s and %s",
			others[0].Name(), o.Face.Option("name"), o.Face.Option("org"))
	}
	_, lockErr := runNode(ctx, "writing package-lock.json", made, "npm", "install", "--package-lock-only", "--ignore-scripts", "--no-audit")
	if ctx.Err() != nil {
		return errors.New("interrupted; nothing was created")
	}
	_ = os.Remove(dir) // one that is empty
	if err := os.Rename(made, dir); err != nil {
		return fmt.Errorf("scaffold: %w", err)
	}
	fmt.Fprintf(w, "create-plugin created %s in %s\n", o.ID, dir)
	if lockErr != nil {
		fmt.Fprintf(w, "note: package-lock.json is missing; run npm install in that directory: a build bundles the versions in the lockfile\n  %s\n",
			strings.ReplaceAll(lockErr.Error(), "\n", "\n  "))
	}
	return runInit(ctx, w, initOptions{Face: o.Face, Dir: dir})
}

// runNode runs a program that comes with Node.js, and returns its output.
func runNode(ctx context.Context, what, dir, name string, args ...string) ([]byte, error) {
	defer progress.Task{W: os.Stderr, IsTerminal: isTerminal(os.Stderr), Name: what}.Start()()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	return process.Output(cmd)
}

// createPlugin returns the arguments of npx for the plugin.
func (o scaffoldOptions) createPlugin() ([]string, error) {
	if o.Base != createPlugin {
		return nil, Usage("%w", nearest.Unknown("base", o.Base, []string{createPlugin}))
	}
	if o.ID == "" {
		return nil, Usage("%s asks for nothing: give a type and an id", o.Face.Option("base"))
	}
	t, err := templates.CheckType(o.Type)
	if err == nil {
		err = templates.CheckID(o.Type, o.ID)
	}
	if err != nil {
		return nil, o.refused(err)
	}
	profile := cmp.Or(o.Profile, bundle.Published().Name)
	switch parts := strings.Split(o.ID, "-"); {
	case !t.HasFrontend:
		return nil, Usage("create-plugin has no %s: leave out %s", t.Name, o.Face.Option("base"))
	case len(parts) != 3:
		return nil, Usage("create-plugin makes ids of three parts: use %s-%s-%s", parts[0], strings.Join(parts[1:len(parts)-1], ""), t.Name)
	case o.Into != "" || o.Description != "" || o.Force || profile != bundle.Published().Name:
		return nil, Usage("create-plugin decides all else: leave out %s, %s, %s and %s",
			o.Face.Option("into"), o.Face.Option("description"), o.Face.Option("force"), o.Face.Option("profile"))
	}
	hasBackend := t.HasBackend
	if o.Backend != nil {
		hasBackend = *o.Backend
	}
	if hasBackend && bundle.Type(t.Name) == bundle.TypePanel {
		return nil, Usage("create-plugin makes no backend for a panel: leave out %s", o.Face.Option("backend"))
	}
	org, _, _ := strings.Cut(o.ID, "-")
	return []string{
		"--yes", "@grafana/create-plugin@latest", "generate", "--pluginType=" + t.Name, fmt.Sprintf("--hasBackend=%t", hasBackend),
		"--pluginName=" + cmp.Or(o.Name, templates.DefaultName(o.ID)), "--orgName=" + cmp.Or(o.Org, org),
	}, nil
}
