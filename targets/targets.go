package targets

import (
	"context"
	"os"

	"github.com/slipway-dev/slipway/build"
	"github.com/slipway-dev/slipway/internal/verbs"
	"github.com/slipway-dev/slipway/targets/internal/target"
	"github.com/slipway-dev/slipway/templates"
)

// Scaffold creates a plugin repository, such as: mage scaffold datasource acme-hello-datasource.
func Scaffold(ctx context.Context,
	pluginType, id string,
	dir *string, // directory to create (default: the id)
	name *string, // name shown to users (default: derived from the id)
	org *string, // author (default: the first part of the id)
	description *string, // one sentence about the plugin
	profile *string, // key names in plugin.json: service, grafana or both (default: service)
	backend *bool, // whether the plugin has a backend (default: true, but false for a panel)
	force *bool, // write into a directory that is not empty, and list the files overwritten
) error {
	ctx, stop := target.Interruptible(ctx)
	defer stop()
	return exit(verbs.Scaffold(ctx, os.Stdout, verbs.ScaffoldOptions{Face: verbs.Mage, Options: templates.Options{
		Type: pluginType, ID: id, Dir: value(dir), Name: value(name), Org: value(org),
		Description: value(description), Profile: value(profile), Backend: backend, Force: isSet(force),
	}}))
}

// Validate checks plugin.json and the files it refers to.
func Validate(ctx context.Context,
	path *string, // what to validate (default: the plugin in this directory); "-" reads plugin.json from standard input
	format *string, // format of the report: text, json, sarif, junit or github
	output *string, // write the report to this file
	profile *string, // key names in plugin.json: service or grafana (default: derived from the file)
	strict *bool, // treat warnings as errors
	fix *bool, // apply the safe fixes, then report the remaining findings
	diff *bool, // print what fix would change; exit with status 1 if there is anything to change
	config *string, // configuration file (default: the nearest slipway.yaml)
	baseline *string, // omit the findings recorded in this file
	writeBaseline *string, // record all findings in this file
	key *string, // file with ed25519 public keys, one of which must have signed a zip or a dist with MANIFEST.json
	all *bool, // let fix change several plugin repositories
	verbose *bool, // list the rules that did not run
) error {
	ctx, stop := target.Interruptible(ctx)
	defer stop()
	if path != nil && *path == "" {
		return exit(verbs.ErrEmptyPath())
	}
	return exit(verbs.Validate(ctx, os.Stdout, verbs.ValidateOptions{
		Face: verbs.Mage,
		Path: value(path), Format: value(format), Output: value(output), Profile: value(profile),
		Strict: isSet(strict), Fix: isSet(fix), Diff: isSet(diff),
		Config: value(config), Baseline: value(baseline), WriteBaseline: value(writeBaseline), Key: value(key),
		All: isSet(all), Verbose: isSet(verbose),
	}))
}

// Build builds the plugin into dist.
func Build(ctx context.Context,
	platforms *string, // all, host or a list such as linux/amd64,windows/amd64 (default: those in slipway.yaml, or all)
	dir *string, // plugin repository (default: this directory)
	profile *string, // key names in plugin.json: service or grafana (default: derived from the file)
	explain *bool, // print why each step runs
	only *string, // build only the backend or the frontend, and keep the rest of dist
	debug *bool, // build executables for a debugger
) error {
	ctx, stop := target.Interruptible(ctx)
	defer stop()
	_, err := verbs.Build(ctx, os.Stdout, verbs.BuildOptions{
		Face: verbs.Mage, Dir: value(dir), Platforms: value(platforms), Profile: value(profile), Explain: isSet(explain), Only: value(only), Debug: isSet(debug), Bundler: bundler(), In: verbs.Terminal(os.Stdin),
	})
	return exit(err)
}

// Deps downloads the packages that the frontend imports, in the versions of its lockfile.
func Deps(ctx context.Context,
	dir *string, // plugin repository (default: this directory)
) error {
	ctx, stop := target.Interruptible(ctx)
	defer stop()
	return exit(verbs.Deps(ctx, os.Stdout, verbs.DepsOptions{Face: verbs.Mage, Dir: value(dir), Bundler: bundler()}))
}

// Package packs the built plugin for distribution: zips, checksums, manifests and an SBOM.
func Package(ctx context.Context,
	dir *string, // plugin repository (default: this directory)
	out *string, // directory to write to (default: release in the repository)
	key *string, // file with an ed25519 private key (PEM or OpenSSH) to sign with
) error {
	ctx, stop := target.Interruptible(ctx)
	defer stop()
	return exit(verbs.Package(ctx, os.Stdout, verbs.PackageOptions{Face: verbs.Mage, Dir: value(dir), Out: value(out), Key: value(key)}))
}

// Sign signs the built plugin and the zips of its version in release.
func Sign(
	key *string, // file with an ed25519 private key (PEM or OpenSSH)
	dir *string, // plugin repository (default: this directory)
	path *string, // sign only this dist, zip or directory of zips
) error {
	return exit(verbs.Sign(os.Stdout, verbs.SignOptions{Face: verbs.Mage, Dir: value(dir), Path: value(path), Key: value(key)}))
}

// Verify compares what sign signed with its manifests, checksums and signatures.
func Verify(
	key *string, // file with ed25519 public keys, one of which must have signed each plugin (default: signatures are not verified)
	dir *string, // plugin repository (default: this directory)
	path *string, // verify only this dist, zip or directory of zips
) error {
	return exit(verbs.Verify(os.Stdout, verbs.VerifyOptions{Face: verbs.Mage, Dir: value(dir), Path: value(path), Key: value(key)}))
}

// bundler runs the command slipway-bundler: a plugin without a frontend to bundle does not
// wait for esbuild to compile.
func bundler() build.Bundler {
	return build.Program{Path: func(ctx context.Context) (string, error) {
		return verbs.Program(ctx, "slipway-bundler", ".", os.Stderr)
	}}
}

// Rules lists the rules of validate.
func Rules() error { return exit(verbs.Rules(os.Stdout)) }

// Explain prints the purpose of a rule, how to fix its findings, and an example: mage explain path-missing.
func Explain(rule string) error { return exit(verbs.Explain(os.Stdout, rule)) }

// Schema writes JSON Schemas of plugin.json and slipway.yaml for editors.
func Schema(
	what *string, // schema to write: plugin or config (default: both)
	dir *string, // directory to write to (default: this directory)
	profile *string, // key names in plugin.json: service or grafana (default: derived from the file)
) error {
	return exit(verbs.Schema(os.Stdout, verbs.SchemaOptions{Face: verbs.Mage, What: value(what), Dir: value(dir), Profile: value(profile)}))
}

// exit returns an error with which Mage exits with the code of err.
func exit(err error) error { return target.Exit(err) }

func isSet(b *bool) bool { return b != nil && *b }

func value(s *string) string { return target.Value(s) }
