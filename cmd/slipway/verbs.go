package main

import (
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/slipway-dev/slipway/build/bundler"
	"github.com/slipway-dev/slipway/internal/verbs"
	"github.com/slipway-dev/slipway/templates"
)

const profileUsage = "key names in plugin.json: service or grafana (default: derived from the file)"

func scaffoldCommand(stdout *os.File) *cobra.Command {
	var o verbs.ScaffoldOptions
	var backend bool
	c := &cobra.Command{
		Use:   "scaffold <type> <id>",
		Short: "Create a plugin repository",
		Long: "Create a plugin repository with a workflow, a development container, TypeScript for a\n" +
			"frontend and Go for a backend. The types are app, datasource, panel, renderer and\n" +
			"secretsmanager; the id has the form <org>-<name>-<type>. On a terminal, it asks for what is\n" +
			"missing.",
		Example: "  slipway scaffold --list\n" +
			"  slipway scaffold datasource acme-hello-datasource\n" +
			"  slipway scaffold panel acme-gauge-panel --dir=gauge --name=\"Round gauge\" --profile=both",
		Args: func(c *cobra.Command, args []string) error {
			if o.List || term.IsTerminal(int(os.Stdin.Fd())) {
				return arguments(cobra.MaximumNArgs(2))(c, args)
			}
			err := arguments(cobra.ExactArgs(2))(c, args)
			if err != nil && len(args) < 2 {
				err = usageError("%w\nhelp: the types are %s; an id is <org>-<name>-<type>, such as acme-hello-datasource", err, strings.Join(templates.TypeNames(), ", "))
			}
			return err
		},
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) < 2 {
				o.In = os.Stdin
			}
			for i, arg := range args {
				*[]*string{&o.Type, &o.ID}[i] = arg
			}
			if c.Flags().Changed("backend") {
				o.Backend = &backend
			}
			return verbs.Scaffold(c.Context(), stdout, o)
		},
		ValidArgsFunction: completeScaffold,
	}
	c.AddCommand(updateCommand(stdout))
	f := c.Flags()
	f.StringVar(&o.Dir, "dir", "", "directory to create (default: the id)")
	f.StringVar(&o.Name, "name", "", "name shown to users (default: derived from the id)")
	f.StringVar(&o.Org, "org", "", "author (default: the first part of the id)")
	f.StringVar(&o.Description, "description", "", "one sentence about the plugin")
	f.StringVar(&o.Profile, "profile", "", "key names in plugin.json: service, grafana or both (default: service)")
	f.BoolVar(&backend, "backend", false, "whether the plugin has a backend (default: true, but false for a panel)")
	f.BoolVar(&o.List, "list", false, "list the types, profiles and options")
	f.BoolVar(&o.Force, "force", false, "write into a directory that is not empty, and list the files overwritten")
	return c
}

func validateCommand(stdout *os.File) *cobra.Command {
	var o verbs.ValidateOptions
	c := &cobra.Command{
		Use:   "validate [path]",
		Short: "Check plugin.json and the files it refers to",
		Long: "Check plugin.json and the files it refers to. The path is a plugin repository, a dist\n" +
			"directory, a zip, a plugin.json or a directory of plugins; the default is the current\n" +
			"directory. If the path is -, plugin.json is read from standard input.\n\n" +
			"Exit status: 0 no errors, 1 errors, 2 invalid usage, 3 a check could not run.",
		Example: "  slipway validate\n" +
			"  slipway validate --fix\n" +
			"  slipway validate --format=sarif --output=slipway.sarif plugins",
		Args: arguments(cobra.MaximumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 {
				if o.Path = args[0]; o.Path == "" {
					return verbs.ErrEmptyPath()
				}
			}
			o.Face = face(c)
			return verbs.Validate(c.Context(), stdout, o)
		},
	}
	f := c.Flags()
	f.StringVar(&o.Format, "format", "text", "format of the report: text, json, sarif, junit or github")
	f.StringVar(&o.Output, "output", "", "write the report to this file")
	f.StringVar(&o.Profile, "profile", "", profileUsage)
	f.BoolVar(&o.Strict, "strict", false, "treat warnings as errors")
	f.BoolVar(&o.Fix, "fix", false, "apply the safe fixes, then report the remaining findings")
	f.BoolVar(&o.All, "all", false, "allow --fix to change several plugin repositories")
	f.BoolVarP(&o.Verbose, "verbose", "v", false, "list the rules that did not run")
	f.BoolVar(&o.Diff, "diff", false, "print what --fix would change; exit with status 1 if there is anything to change")
	f.StringVar(&o.Config, "config", "", "configuration file (default: the nearest slipway.yaml)")
	f.StringVar(&o.Key, "key", "", "file with ed25519 public keys, one of which must have signed a zip or a dist with MANIFEST.json")
	f.StringVar(&o.Baseline, "baseline", "", "omit the findings recorded in this file")
	f.StringVar(&o.WriteBaseline, "write-baseline", "", "record all findings in this file, for --baseline")
	return c
}

func rulesCommand(stdout *os.File) *cobra.Command {
	return &cobra.Command{
		Use:   "rules",
		Short: "List the rules of validate",
		Args:  arguments(cobra.NoArgs),
		RunE:  func(*cobra.Command, []string) error { return verbs.Rules(stdout) },
	}
}

func explainCommand(stdout *os.File) *cobra.Command {
	return &cobra.Command{
		Use:               "explain <rule>",
		Short:             "Explain a rule: its purpose, how to fix its findings, and an example",
		Example:           "  slipway explain path-missing",
		Args:              arguments(cobra.ExactArgs(1)),
		RunE:              func(_ *cobra.Command, args []string) error { return verbs.Explain(stdout, args[0]) },
		ValidArgsFunction: completeFirst(ruleNames),
	}
}

func schemaCommand(stdout *os.File) *cobra.Command {
	var o verbs.SchemaOptions
	c := &cobra.Command{
		Use:   "schema [plugin|config]",
		Short: "Write JSON Schemas for plugin.json and slipway.yaml",
		Long: "Write JSON Schemas for plugin.json and slipway.yaml, which editors use to complete and check\n" +
			"these files. Without an argument it writes both. Refer to them from the files:\n\n" +
			"  plugin.schema.json   in src/plugin.json:  \"$schema\": \"../plugin.schema.json\",\n" +
			"  slipway.schema.json  in slipway.yaml:     # yaml-language-server: $schema=slipway.schema.json",
		Args: arguments(cobra.MaximumNArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 {
				o.What = args[0]
			}
			return verbs.Schema(stdout, o)
		},
		ValidArgsFunction: completeFirst(verbs.SchemaNames),
	}
	c.Flags().StringVar(&o.Dir, "dir", ".", "directory to write to")
	c.Flags().StringVar(&o.Profile, "profile", "", profileUsage)
	return c
}

func depsCommand(stdout *os.File) *cobra.Command {
	o := verbs.DepsOptions{Bundler: bundler.Bundler{}}
	c := &cobra.Command{
		Use:   "deps",
		Short: "Download the packages that the frontend imports",
		Long: "Download the packages that the frontend imports, at the versions specified by\n" +
			"package-lock.json, yarn.lock or pnpm-lock.yaml, into a cache that repositories share. Packages\n" +
			"that only tests or other tools need are left out, and no scripts are run. A repository with\n" +
			"node_modules needs no download.",
		Args: arguments(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return verbs.Deps(c.Context(), stdout, o) },
	}
	c.Flags().StringVar(&o.Dir, "dir", ".", "plugin repository")
	return c
}

func packageCommand(stdout *os.File) *cobra.Command {
	var o verbs.PackageOptions
	c := &cobra.Command{
		Use:   "package",
		Short: "Pack the built plugin for distribution",
		Long: "Pack dist into a zip for all platforms and one per platform, each with a manifest and\n" +
			"checksums, and write an SBOM. The same dist produces the same bytes. A plugin whose zip has\n" +
			"errors is not packed. With a key, the manifests are signed in the format of minisign.",
		Example: "  slipway build && slipway package\n" +
			"  slipway package --key=release-key.pem --out=/tmp/release",
		Args: arguments(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			o.Face = face(c)
			return verbs.Package(c.Context(), stdout, o)
		},
	}
	f := c.Flags()
	f.StringVar(&o.Dir, "dir", ".", "plugin repository")
	f.StringVar(&o.Out, "out", "", "directory to write to (default: release in the repository)")
	f.StringVar(&o.Key, "key", "", "file with an ed25519 private key (PEM or OpenSSH) to sign with")
	return c
}

func signCommand(stdout *os.File) *cobra.Command {
	var o verbs.SignOptions
	c := &cobra.Command{
		Use:   "sign",
		Short: "Sign the built plugin and its zips",
		Long: "Sign the built plugin: write MANIFEST.json and its signature to dist, and add the signature to\n" +
			"the zips of the same version in release. The signatures have the format of minisign. The key\n" +
			"is an ed25519 key without a passphrase, such as one from \"ssh-keygen -t ed25519\" or \"openssl\n" +
			"genpkey -algorithm ed25519\".",
		Example: "  slipway sign --key=release-key\n" +
			"  slipway sign --key=release-key --path=acme-tide-app-1.0.0.zip",
		Args: arguments(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			o.Face = face(c)
			return verbs.Sign(stdout, o)
		},
	}
	f := c.Flags()
	f.StringVar(&o.Dir, "dir", ".", "plugin repository")
	f.StringVar(&o.Path, "path", "", "sign only this dist, zip or directory of zips")
	f.StringVar(&o.Key, "key", "", "file with an ed25519 private key (PEM or OpenSSH)")
	return c
}

func verifyCommand(stdout *os.File) *cobra.Command {
	var o verbs.VerifyOptions
	c := &cobra.Command{
		Use:   "verify [path]",
		Short: "Compare packaged plugins with their manifests, checksums and signatures",
		Long: "Compare packaged plugins with their manifests, checksums and signatures. The path is a zip, a\n" +
			"directory of zips, or a dist with MANIFEST.json; the default is what sign signs: dist and the\n" +
			"zips of the same version in release. With --key, one of the keys in the file must have signed\n" +
			"each plugin; without it, signatures are not verified.\n\n" +
			"Exit status: 0 nothing differs, 1 something differs, 2 invalid usage.",
		Example: "  slipway verify\n" +
			"  slipway verify --key=release-key.pub acme-tide-app-1.0.0.zip",
		Args: arguments(cobra.MaximumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 {
				if o.Path = args[0]; o.Path == "" {
					return verbs.ErrEmptyPath()
				}
			}
			o.Face = face(c)
			return verbs.Verify(stdout, o)
		},
	}
	c.Flags().StringVar(&o.Dir, "dir", ".", "plugin repository, unless a path is given")
	c.Flags().StringVar(&o.Key, "key", "", "file with ed25519 public keys (PEM, or OpenSSH and minisign, one per line), one of which must have signed each plugin")
	return c
}

func buildCommand(stdout *os.File) *cobra.Command {
	o := verbs.BuildOptions{Bundler: bundler.Bundler{}, In: verbs.Terminal(os.Stdin)}
	c := &cobra.Command{
		Use:   "build",
		Short: "Build the plugin into dist",
		Long: "Build a plugin repository: write its executables, frontend, assets and plugin.json to\n" +
			"dist. TypeScript is bundled without Node.js. The same commit produces the same files in any\n" +
			"directory.\n\n" +
			"Build settings come from the keys \"backend\" and \"frontend\" in the nearest slipway.yaml; the\n" +
			"schema command writes a schema that describes them. A build runs the plugin's code: it starts\n" +
			"the executable for this machine to check that it completes the handshake, and runs the command\n" +
			"under \"frontend\", if one is set.",
		Example: "  slipway build\n" +
			"  slipway build --platforms=linux/amd64,windows/amd64\n" +
			"  slipway build --only=frontend",
		Args: arguments(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			o.Face = face(c)
			_, err := verbs.Build(c.Context(), stdout, o)
			return err
		},
	}
	c.Flags().StringVar(&o.Dir, "dir", ".", "plugin repository")
	c.Flags().StringVar(&o.Platforms, "platforms", "", "all, host or a list such as linux/amd64,windows/amd64 (default: those in slipway.yaml, or all)")
	c.Flags().StringVar(&o.Only, "only", "", "build only the backend or the frontend, and keep the rest of dist")
	c.Flags().BoolVar(&o.Debug, "debug", false, "build executables for a debugger")
	c.Flags().BoolVar(&o.Explain, "explain", false, "print why each step runs")
	c.Flags().StringVar(&o.Profile, "profile", "", profileUsage)
	return c
}
