package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/internal/verbs"
	"github.com/slipway-dev/slipway/validate/rules"
)

func rulesCommand(stdout *os.File) *cobra.Command {
	return &cobra.Command{
		Use:   "rules",
		Short: "List what validate checks",
		Args:  arguments(cobra.NoArgs),
		RunE:  func(*cobra.Command, []string) error { return verbs.Rules(stdout) },
	}
}

func explainCommand(stdout *os.File) *cobra.Command {
	return &cobra.Command{
		Use:     "explain <rule>",
		Short:   "Say why there is a rule, how to fix what it finds, and show an example",
		Example: "  slipway explain path-missing",
		Args:    arguments(cobra.ExactArgs(1)),
		RunE:    func(_ *cobra.Command, args []string) error { return verbs.Explain(stdout, args[0]) },
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			var ids []string
			for _, r := range rules.All() {
				ids = append(ids, r.ID+"\t"+r.Summary)
			}
			return ids, cobra.ShellCompDirectiveNoFileComp
		},
	}
}

func schemaCommand(stdout *os.File) *cobra.Command {
	var o verbs.SchemaOptions
	c := &cobra.Command{
		Use:   "schema [plugin|config]",
		Short: "Write JSON Schema files with which an editor helps with plugin.json and slipway.yaml",
		Long: "Write JSON Schema files with which an editor helps while you type. Name them in the files:\n\n" +
			"  plugin.schema.json   in src/plugin.json:  \"$schema\": \"../plugin.schema.json\",\n" +
			"  slipway.schema.json  in slipway.yaml:     # yaml-language-server: $schema=slipway.schema.json",
		Args: arguments(cobra.MaximumNArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 {
				o.What = args[0]
			}
			return verbs.Schema(stdout, o)
		},
	}
	c.Flags().StringVar(&o.Dir, "dir", ".", "folder to write into")
	c.Flags().StringVar(&o.Profile, "profile", "", "names of plugin.json: service or grafana (found from the file)")
	return c
}
