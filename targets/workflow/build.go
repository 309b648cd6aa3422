package workflow

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/magefile/mage/mg"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/verbs"
	"github.com/slipway-dev/slipway/targets"
	"github.com/slipway-dev/slipway/targets/internal/target"
)

// BuildAll builds the plugin for all platforms.
func BuildAll(ctx context.Context) error {
	return targets.Build(ctx, new("all"), nil, nil, nil, nil, nil)
}

// Build contains the targets that build the plugin for one platform. They update the
// executables of the other platforms that dist already has.
type Build mg.Namespace

// Backend builds the plugin for this machine.
func (Build) Backend(ctx context.Context) error {
	return addPlatform(ctx, bundle.Host().String(), false)
}

// Linux builds the plugin for Linux on amd64.
func (Build) Linux(ctx context.Context) error { return addPlatform(ctx, "linux/amd64", false) }

// LinuxARM builds the plugin for Linux on ARM.
func (Build) LinuxARM(ctx context.Context) error { return addPlatform(ctx, "linux/arm", false) }

// LinuxARM64 builds the plugin for Linux on ARM64.
func (Build) LinuxARM64(ctx context.Context) error { return addPlatform(ctx, "linux/arm64", false) }

// Windows builds the plugin for Windows on amd64.
func (Build) Windows(ctx context.Context) error { return addPlatform(ctx, "windows/amd64", false) }

// Darwin builds the plugin for macOS on amd64.
func (Build) Darwin(ctx context.Context) error { return addPlatform(ctx, "darwin/amd64", false) }

// DarwinARM64 builds the plugin for macOS on ARM64.
func (Build) DarwinARM64(ctx context.Context) error { return addPlatform(ctx, "darwin/arm64", false) }

// Custom builds the plugin for another platform, such as: mage build:custom freebsd amd64.
func (Build) Custom(ctx context.Context, os, arch string) error {
	return addPlatform(ctx, os+"/"+arch, false)
}

// Debug builds the plugin for a debugger on this machine.
func (Build) Debug(ctx context.Context) error {
	return addPlatform(ctx, bundle.Host().String(), true)
}

// DebugLinuxAMD64 builds the plugin for a debugger on Linux on amd64.
func (Build) DebugLinuxAMD64(ctx context.Context) error {
	return addPlatform(ctx, "linux/amd64", true)
}

// DebugLinuxARM64 builds the plugin for a debugger on Linux on ARM64.
func (Build) DebugLinuxARM64(ctx context.Context) error {
	return addPlatform(ctx, "linux/arm64", true)
}

// DebugDarwinAMD64 builds the plugin for a debugger on macOS on amd64.
func (Build) DebugDarwinAMD64(ctx context.Context) error {
	return addPlatform(ctx, "darwin/amd64", true)
}

// DebugDarwinARM64 builds the plugin for a debugger on macOS on ARM64.
func (Build) DebugDarwinARM64(ctx context.Context) error {
	return addPlatform(ctx, "darwin/arm64", true)
}

// DebugWindowsAMD64 builds the plugin for a debugger on Windows on amd64.
func (Build) DebugWindowsAMD64(ctx context.Context) error {
	return addPlatform(ctx, "windows/amd64", true)
}

// GenerateManifestFile writes dist/go_plugin_build_manifest, which Grafana's catalog asks for; run it after the build.
func (Build) GenerateManifestFile() error {
	return target.Exit(verbs.GoSums(os.Stdout, ""))
}

// addPlatform builds for a platform and for those whose executables are in dist: a
// workflow that builds one platform after another expects to find all of them in dist.
func addPlatform(ctx context.Context, platform string, debug bool) error {
	platforms, err := builtPlatforms(bundle.DistDir)
	if err != nil {
		return err
	}
	if !slices.Contains(platforms, platform) {
		platforms = append(platforms, platform)
	}
	return targets.Build(ctx, new(strings.Join(platforms, ",")), nil, nil, nil, nil, &debug)
}

// builtPlatforms returns the platforms of the executables in a directory.
func builtPlatforms(dir string) (platforms []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		_, p, ok := bundle.SplitExecutable(e.Name())
		if ok && e.Type().IsRegular() && !slices.Contains(platforms, p.String()) {
			platforms = append(platforms, p.String())
		}
	}
	return platforms, nil
}
