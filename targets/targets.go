package targets

import (
	"context"
	"errors"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/magefile/mage/mg"

	"github.com/slipway-dev/slipway/internal/verbs"
	"github.com/slipway-dev/slipway/templates"
)

// Scaffold makes a new plugin repository: mage scaffold datasource acme-hello-datasource.
func Scaffold(ctx context.Context, pluginType, id string, dir, name, org, description *string, force *bool) error {
	ctx, stop := interruptible(ctx)
	defer stop()
	return exit(verbs.Scaffold(ctx, os.Stdout, templates.Options{
		Type: pluginType, ID: id, Dir: value(dir), Name: value(name), Org: value(org),
		Description: value(description), Force: force != nil && *force,
	}))
}

// Validate checks plugin.json and the files around it.
func Validate(ctx context.Context, path, format, output, profile *string, strict, fix, diff *bool, config, baseline, writeBaseline *string) error {
	ctx, stop := interruptible(ctx)
	defer stop()
	return exit(verbs.Validate(ctx, os.Stdout, verbs.ValidateOptions{
		Path: value(path), Format: value(format), Output: value(output), Profile: value(profile),
		Strict: isSet(strict), Fix: isSet(fix), Diff: isSet(diff),
		Config: value(config), Baseline: value(baseline), WriteBaseline: value(writeBaseline),
	}))
}

// Build writes dist: executables for all platforms, assets and plugin.json.
func Build(ctx context.Context, platforms, dir, profile *string) error {
	ctx, stop := interruptible(ctx)
	defer stop()
	_, err := verbs.Build(ctx, os.Stdout, verbs.BuildOptions{Dir: value(dir), Platforms: value(platforms), Profile: value(profile)})
	return exit(err)
}

// Dev builds the plugin, runs it in a host on this machine and reloads it as you edit.
func Dev(ctx context.Context, dir, listen, adminPassword, serviceVersion, featureToggles, dataDir *string) error {
	return runSlipway(ctx, "dev", map[string]*string{
		"dir": dir, "listen": listen, "admin-password": adminPassword, "service-version": serviceVersion,
		"feature-toggles": featureToggles, "data-dir": dataDir,
	})
}

// Host runs the reference host on this plugin as it is built, or on another folder of plugins.
func Host(ctx context.Context, pluginsDir, listen, dataDir, database, adminPassword, serviceVersion, featureToggles *string) error {
	if pluginsDir == nil {
		here := "."
		pluginsDir = &here
	}
	return runSlipway(ctx, "host", map[string]*string{
		"plugins-dir": pluginsDir, "listen": listen, "data-dir": dataDir, "database": database,
		"admin-password": adminPassword, "service-version": serviceVersion, "feature-toggles": featureToggles,
	})
}

// Conformance tries the plugin as it is built: what every plugin must do, and this one does not.
func Conformance(ctx context.Context, dir, format, timeout, only, query, settings, url *string) error {
	return runSlipway(ctx, "conformance", map[string]*string{
		"dir": dir, "format": format, "timeout": timeout, "only": only, "query": query, "settings": settings, "url": url,
	})
}

// runSlipway runs a verb of the program slipway, which has the host in it.
func runSlipway(ctx context.Context, verb string, options map[string]*string) error {
	ctx, stop := interruptible(ctx)
	defer stop()
	program, err := verbs.Program(ctx, ".", os.Stderr)
	if err != nil {
		return exit(err)
	}
	args := []string{verb}
	for _, name := range slices.Sorted(maps.Keys(options)) {
		if v := options[name]; v != nil {
			args = append(args, "--"+name+"="+*v)
		}
	}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	// The program stops by itself on Ctrl-C, which a terminal sends to it too;
	// the signal is for a mage that was stopped in another way.
	cmd.Cancel = func() error {
		if runtime.GOOS == "windows" {
			return nil
		}
		return cmd.Process.Signal(syscall.SIGTERM)
	}
	err = cmd.Run()
	var ended *exec.ExitError
	if errors.As(err, &ended) && ended.ExitCode() > 0 {
		return mg.Fatalf(ended.ExitCode(), "%s ended with status %d", verb, ended.ExitCode())
	}
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	return signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
}

// exit gives mage the exit code of an error.
func exit(err error) error {
	var e *verbs.ExitError
	if !errors.As(err, &e) {
		return err
	}
	text := strings.TrimSpace(e.Error())
	switch { // the report has said the rest
	case text == "" && e.Code == verbs.ExitBroken:
		text = "validate is not complete: a check could not run"
	case text == "":
		text = "validate found errors"
	}
	return mg.Fatal(e.Code, text)
}

func isSet(b *bool) bool { return b != nil && *b }

func value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
