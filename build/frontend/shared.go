package frontend

import (
	"fmt"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// isShared reports whether existing hosts provide a module, for repositories whose configuration does not say which.
// The source is the list that create-plugin 6 writes into a repository as .config/bundler/externals.ts.
func isShared(module string) bool {
	return strings.HasPrefix(module, "@grafana/ui") || strings.HasPrefix(module, "@grafana/runtime") || strings.HasPrefix(module, "@grafana/data") ||
		slices.Contains([]string{
			"lodash", "jquery", "moment", "slate", "emotion", "@emotion/react", "@emotion/css", "prismjs", "slate-plain-serializer",
			"@grafana/slate-react", "react", "react-dom", "react-redux", "redux", "rxjs", "i18next", "react-router", "d3", "angular",
		}, module)
}

// external resolves an import that the host provides: the repository decides which those are, if its configuration
// does. A library that newer hosts share, such as react/jsx-runtime, must be in the bundle of a plugin for older
// ones, and only the repository knows which those are. It returns nil for a module of the bundle.
func (b *bundler) external(in api.OnResolveArgs, name string) (*api.OnResolveResult, error) {
	kind, to := "", name
	var err error
	switch {
	case strings.HasPrefix(name, legacyPrefix):
		kind, to = "amd", strings.TrimPrefix(name, legacyPrefix)
	case b.isAlone:
	case b.config.HasExternals:
		kind, to, err = b.config.External(b.ctx, name, in.ResolveDir, in.Importer)
	case isShared(name):
		kind = "amd"
	}
	switch kind {
	case "":
		return nil, err
	case "amd", "umd", "umd2", "amd-require", "system":
	case "var", "window", "self", "global", "globalThis", "this", "root", "assign":
		if kind != "var" && kind != "assign" {
			to = "globalThis." + to
		}
		return &api.OnResolveResult{Path: to, Namespace: globalNamespace}, nil
	default:
		return nil, fmt.Errorf("the configuration of the bundler takes %q from %s %s, which hosts do not provide: they provide AMD modules", name, kind, to)
	}
	b.mu.Lock()
	b.asked[to] = true
	b.seen.isInjected = b.seen.isInjected || to == "angular" || strings.HasPrefix(to, "app/")
	b.mu.Unlock()
	if b.isAsync {
		return &api.OnResolveResult{Path: to, Namespace: sharedNamespace}, nil
	}
	return &api.OnResolveResult{Path: to, External: true}, nil
}
