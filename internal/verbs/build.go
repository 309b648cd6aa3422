package verbs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/build"
	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/nearest"
	"github.com/slipway-dev/slipway/internal/origin"
	"github.com/slipway-dev/slipway/validate/rules"
)

// BuildOptions are the options of the verb build.
type BuildOptions struct {
	Face      Face
	Dir       string // the plugin repository; "" is the current directory
	Platforms string // all, host or a list of os/arch; "" is all
	Profile   string // of plugin.json; "" derives it from the file
	Explain   bool   // print why each step runs
	Bundler   build.Bundler
}

// Build builds a plugin repository and prints its progress to w.
func Build(ctx context.Context, w *os.File, o BuildOptions) (*build.Result, error) {
	platforms, err := parsePlatforms(o.Platforms)
	if err != nil {
		return nil, usage("%s: %w", o.Face.Option("platforms"), err)
	}
	if err := checkProfile(o.Face, o.Profile); err != nil {
		return nil, err
	}
	r, err := build.Plugin(ctx, build.Options{
		Dir: o.Dir, Platforms: platforms, Rules: rules.All(), Profile: o.Profile,
		Progress: w, Live: isTerminal(w), Bundler: o.Bundler, Explain: o.Explain,
	})
	if errors.Is(err, build.ErrNotDownloaded) {
		return nil, fmt.Errorf("build: %w\n  help: download them with %s", err, o.Face.Verb("deps"))
	}
	if err != nil {
		for _, p := range platforms { // only the go command knows all architectures
			if strings.Contains(err.Error(), "unsupported GOOS/GOARCH pair "+p.String()) {
				return nil, usage("%s: %w", o.Face.Option("platforms"), nearest.Unknown("platform", p.String(), PlatformNames()))
			}
		}
		return nil, fmt.Errorf("build: %w", err)
	}
	for _, warning := range r.Warnings {
		fmt.Fprintf(w, "warning: %s\n", warning)
	}
	fmt.Fprintf(w, "built %s in %.1fs%s\n", shortPath(r.Dist), r.Took.Seconds(), executables(len(r.Executables)))
	if o.Platforms != "host" { // a build for this platform only stays on this machine
		printCheckout(w, localCheckout(ctx, o.Dir))
	}
	return r, nil
}

// parsePlatforms parses a list of platforms and suggests the nearest one for a
// misspelt one.
func parsePlatforms(list string) ([]bundle.Platform, error) {
	platforms, err := bundle.ParsePlatforms(list)
	if err == nil {
		return platforms, nil
	}
	known := PlatformNames()
	for item := range strings.SplitSeq(list, ",") {
		item = strings.TrimSpace(item)
		if _, err := bundle.ParsePlatforms(item); err != nil && nearest.Name(item, known) != "" {
			return nil, nearest.Unknown("platform", item, known)
		}
	}
	return nil, err
}

// PlatformNames returns the values that build accepts as platforms: all, host and
// the platforms that all stands for.
func PlatformNames() []string {
	names := []string{"all", "host"}
	for _, p := range bundle.AllPlatforms() {
		names = append(names, p.String())
	}
	return names
}

// checkProfile returns a usage error for an unknown profile.
func checkProfile(face Face, name string) error {
	known := ProfileNames()
	if name == "" || slices.Contains(known, name) {
		return nil
	}
	return usage("%s: %w", face.Option("profile"), nearest.Unknown("profile", name, known))
}

// ProfileNames returns the names of the profiles.
func ProfileNames() (names []string) {
	for _, p := range bundle.Profiles() {
		names = append(names, p.Name)
	}
	return names
}

// localCheckout returns the directory that go.mod replaces Slipway with, or "".
func localCheckout(ctx context.Context, dir string) string {
	cmd := exec.CommandContext(ctx, "go", "mod", "edit", "-json")
	cmd.Dir = dir
	out, err := cmd.Output()
	var mod struct {
		Replace []struct {
			Old, New struct{ Path, Version string }
		}
	}
	if err != nil || json.Unmarshal(out, &mod) != nil {
		return "" // a plugin without Go code
	}
	for _, r := range mod.Replace {
		if r.Old.Path == origin.Module && r.New.Version == "" {
			return r.New.Path
		}
	}
	return ""
}

func executables(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %d executable%s", n, strings.Repeat("s", min(n-1, 1)))
}
