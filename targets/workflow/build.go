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
	"github.com/slipway-dev/slipway/targets"
)

// BuildAll builds the plugin for all platforms.
func BuildAll(ctx context.Context) error { return buildPlatforms(ctx, "all") }

// Build contains the targets that build the plugin for one platform. They update the
// executables of the other platforms that dist already has.
type Build mg.Namespace

// Backend builds the plugin for this machine.
func (Build) Backend(ctx context.Context) error {
	return addPlatform(ctx, bundle.Host().String())
}

// Linux builds the plugin for Linux on amd64.
func (Build) Linux(ctx context.Context) error { return addPlatform(ctx, "linux/amd64") }

// LinuxARM builds the plugin for Linux on ARM.
func (Build) LinuxARM(ctx context.Context) error { return addPlatform(ctx, "linux/arm") }

// LinuxARM64 builds the plugin for Linux on ARM64.
func (Build) LinuxARM64(ctx context.Context) error { return addPlatform(ctx, "linux/arm64") }

// Windows builds the plugin for Windows on amd64.
func (Build) Windows(ctx context.Context) error { return addPlatform(ctx, "windows/amd64") }

// Darwin builds the plugin for macOS on amd64.
func (Build) Darwin(ctx context.Context) error { return addPlatform(ctx, "darwin/amd64") }

// DarwinARM64 builds the plugin for macOS on ARM64.
func (Build) DarwinARM64(ctx context.Context) error { return addPlatform(ctx, "darwin/arm64") }

// Custom builds the plugin for another platform, such as: mage build:custom freebsd amd64.
func (Build) Custom(ctx context.Context, os, arch string) error {
	return addPlatform(ctx, os+"/"+arch)
}

// addPlatform builds for a platform and for those whose executables are in dist: a
// workflow that builds one platform after another expects to find all of them in dist.
func addPlatform(ctx context.Context, platform string) error {
	platforms, err := builtPlatforms(bundle.DistDir)
	if err != nil {
		return err
	}
	if !slices.Contains(platforms, platform) {
		platforms = append(platforms, platform)
	}
	return buildPlatforms(ctx, strings.Join(platforms, ","))
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

func buildPlatforms(ctx context.Context, platforms string) error {
	return targets.Build(ctx, &platforms, nil, nil, nil, nil, nil)
}
