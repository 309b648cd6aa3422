package workflow

import (
	"context"

	"github.com/magefile/mage/mg"

	"github.com/slipway-dev/slipway/targets/internal/program"
)

// BuildAll builds the plugin for all platforms.
func BuildAll(ctx context.Context) error {
	return program.Mage(ctx, "build", nil, "--platforms=all")
}

// Build contains the targets that build the plugin for one platform. They update the
// executables of the other platforms that dist already has.
type Build mg.Namespace

// Backend builds the plugin for this machine.
func (Build) Backend(ctx context.Context) error { return add(ctx, "host") }

// Linux builds the plugin for Linux on amd64.
func (Build) Linux(ctx context.Context) error { return add(ctx, "linux/amd64") }

// LinuxARM builds the plugin for Linux on ARM.
func (Build) LinuxARM(ctx context.Context) error { return add(ctx, "linux/arm") }

// LinuxARM64 builds the plugin for Linux on ARM64.
func (Build) LinuxARM64(ctx context.Context) error { return add(ctx, "linux/arm64") }

// Windows builds the plugin for Windows on amd64.
func (Build) Windows(ctx context.Context) error { return add(ctx, "windows/amd64") }

// Darwin builds the plugin for macOS on amd64.
func (Build) Darwin(ctx context.Context) error { return add(ctx, "darwin/amd64") }

// DarwinARM64 builds the plugin for macOS on ARM64.
func (Build) DarwinARM64(ctx context.Context) error { return add(ctx, "darwin/arm64") }

// Custom builds the plugin for another platform, such as: mage build:custom freebsd amd64.
func (Build) Custom(ctx context.Context, os, arch string) error { return add(ctx, os+"/"+arch) }

// Debug builds the plugin for a debugger on this machine.
func (Build) Debug(ctx context.Context) error { return add(ctx, "host", "--debug") }

// DebugLinuxAMD64 builds the plugin for a debugger on Linux on amd64.
func (Build) DebugLinuxAMD64(ctx context.Context) error { return add(ctx, "linux/amd64", "--debug") }

// DebugLinuxARM64 builds the plugin for a debugger on Linux on ARM64.
func (Build) DebugLinuxARM64(ctx context.Context) error { return add(ctx, "linux/arm64", "--debug") }

// DebugDarwinAMD64 builds the plugin for a debugger on macOS on amd64.
func (Build) DebugDarwinAMD64(ctx context.Context) error { return add(ctx, "darwin/amd64", "--debug") }

// DebugDarwinARM64 builds the plugin for a debugger on macOS on ARM64.
func (Build) DebugDarwinARM64(ctx context.Context) error { return add(ctx, "darwin/arm64", "--debug") }

// DebugWindowsAMD64 builds the plugin for a debugger on Windows on amd64.
func (Build) DebugWindowsAMD64(ctx context.Context) error {
	return add(ctx, "windows/amd64", "--debug")
}

// GenerateManifestFile writes dist/go_plugin_build_manifest, which Grafana's catalog asks for. A build for Grafana does so itself.
func (Build) GenerateManifestFile(ctx context.Context) error { return program.Mage(ctx, "gosums", nil) }

// add builds for a platform and for those whose executables are in dist.
func add(ctx context.Context, platform string, options ...string) error {
	return program.Mage(ctx, "build", nil, append(options, "--add", "--platforms="+platform)...)
}
