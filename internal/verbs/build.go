package verbs

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/slipway-dev/slipway/build"
	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/origin"
	"github.com/slipway-dev/slipway/validate/rules"
)

// BuildOptions are the options of the verb build.
type BuildOptions struct {
	Dir       string // of the plugin repository; "" is the current one
	Platforms string // all, host or a list of os/arch; "" is all
	Profile   string // of plugin.json; "" is found from the file
}

// Build builds a plugin repository and prints its progress to w.
func Build(ctx context.Context, w *os.File, o BuildOptions) (*build.Result, error) {
	platforms, err := bundle.ParsePlatforms(o.Platforms)
	if err != nil {
		return nil, usage("-platforms: %w", err)
	}
	if _, err := bundle.ProfileByName(o.Profile); err != nil {
		return nil, usage("-profile: %w", err)
	}
	r, err := build.Plugin(ctx, build.Options{
		Dir: o.Dir, Platforms: platforms, Rules: rules.All(), Profile: o.Profile,
		Progress: w, Live: isTerminal(w),
	})
	if err != nil {
		return nil, fmt.Errorf("build: %w", err)
	}
	fmt.Fprintf(w, "built %s in %.1fs%s\n", shortPath(r.Dist), r.Took.Seconds(), programs(len(r.Executables)))
	if o.Platforms != "host" { // what is for this machine alone stays on it
		printCheckout(w, localCheckout(ctx, o.Dir))
	}
	return r, nil
}

// localCheckout returns the folder that go.mod puts in the place of Slipway, "" if
// there is none.
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

func programs(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %d executable%s", n, strings.Repeat("s", min(n-1, 1)))
}
