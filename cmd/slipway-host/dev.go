package main

import (
	"cmp"
	"context"
	"path/filepath"

	"github.com/slipway-dev/slipway/cmd/internal/dev"
	"github.com/slipway-dev/slipway/cmd/internal/serve"
	"github.com/slipway-dev/slipway/cmd/internal/verbs"
	"github.com/slipway-dev/slipway/host/server"
)

func devVerb() verbs.Verb {
	o := &verbs.DevOptions{}
	return verbs.DevVerb(o, func(ctx context.Context, c verbs.Call) error {
		// Before the build, whose tools must not inherit the secrets.
		served, err := serve.Options(c, o.ServeOptions)
		if err != nil {
			return err
		}
		options := dev.Options{Server: served, Dir: o.Dir, Open: o.Open, UseDelve: o.Debug, Keys: dev.Keys(c.Stdin, c.Stdout)}
		return dev.Run(ctx, c.Face, options, c.Stdout, c.Stderr)
	})
}

func previewVerb() verbs.Verb {
	o := &verbs.PreviewOptions{}
	return verbs.PreviewVerb(o, func(ctx context.Context, c verbs.Call) error {
		if o.Check || o.Update || o.Against != "" {
			return dev.Check(ctx, c, o)
		}
		for name, isSet := range map[string]bool{"report": o.Report != "", "only": o.Only != "", "strict": o.Strict, "tabs": o.Tabs != 0} {
			if isSet {
				return verbs.Usage("%s needs %s", c.Face.Option(name), c.Face.Option("check"))
			}
		}
		served := server.Options{
			Listen: "127.0.0.1:0", DataDir: filepath.Join(cmp.Or(o.Dir, "."), ".slipway", "preview"), Toggles: dev.Toggles(),
		}
		options := dev.Options{Server: served, Dir: o.Dir, IsPreview: true, With: o.With, Listen: o.Listen, Answers: o.Answers, Open: o.Open,
			Keys: dev.Keys(c.Stdin, c.Stdout)}
		return dev.Run(ctx, c.Face, options, c.Stdout, c.Stderr)
	})
}
