//go:build e2e && unix

package e2e

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/internal/testkit"
)

// loaderPackages are the loader of existing hosts, at the version of their current release, and
// libraries that plugins bundle: those up to exenv prefer AMD to CommonJS.
var loaderPackages = []string{
	"systemjs@6.15.1",
	"moo@0.5.2", "loglevel@1.9.2", "humanize-duration@3.33.0", "moment@2.30.1", "moment-duration-format@2.3.2", "file-saver@2.0.5", "exenv@1.2.2",
	"classnames@2.5.1", "uuid@9.0.1",
}

// loaderModule is a frontend that checks its libraries when the host asks for its exports.
const loaderModule = `
import moo from 'moo';
import log from 'loglevel';
import humanize from 'humanize-duration';
import moment from 'moment';
import 'moment-duration-format';
import { saveAs } from 'file-saver';
import env from 'exenv';
import classNames from 'classnames';
import { validate } from 'uuid';
import React from 'react';
import logo from './logo.svg';
export const plugin = {
  moo: typeof moo.keywords, loglevel: typeof log.setDefaultLevel, humanize: humanize(3000),
  format: typeof (moment.duration(3000) as any).format, saveAs: typeof saveAs, exenv: env.canUseDOM,
  classNames: classNames('a', 'b'), uuid: validate('x'), react: React.version, logo: new URL(logo).pathname.replace(/-\w+\.svg$/, '.svg'),
};
export const lazy = () => import('./lazy').then((m) => m.humanized);
`

// loaderPage is the part of an existing host that loads plugins: SystemJS with its extra for AMD,
// which leaves define.amd in the page, and the shared libraries. A module that awaits is a promise,
// the default export.
const loaderPage = `<!doctype html><script src="/moment.js"></script><script src="/system.js"></script><script src="/amd.js"></script><script>
System.addImportMap({ imports: { react: 'package:react', moment: 'package:moment' } });
System.set('package:react', { default: { version: '18' }, __useDefault: true });
System.set('package:moment', { default: moment, __useDefault: true });
async function load(id) {
  let module = await System.import('/public/plugins/' + id + '/module.js');
  if (!module.plugin) module = await module.default;
  return { ...module.plugin, lazy: await module.lazy(), define: typeof define + typeof define.amd };
}
</script>`

// TestLoader loads bundles with the loader of existing hosts, in Chromium: an app, a data source
// nested in it, and a panel whose module awaits.
func TestLoader(t *testing.T) {
	tab, dir := openBrowser(t), t.TempDir()
	if err := npmInstall(t, dir, loaderPackages...); err != nil {
		t.Skip(err)
	}
	slipway := slipwayCommand(t)
	dist := map[string]string{} // by id of the plugin
	for _, p := range []struct{ id, parent, kind, more string }{
		{"acme-load-app", "", "app", ""},
		{"acme-nested-datasource", "acme-load-app/src/nested", "datasource", ""},
		{"acme-late-panel", "", "panel", "await 0;\n"},
	} {
		src := filepath.Join(dir, p.id, "src")
		dist[p.id] = filepath.Join(dir, p.id, "dist")
		if p.parent != "" {
			src = filepath.Join(dir, filepath.FromSlash(p.parent))
			dist[p.id] = filepath.Join(dir, "acme-load-app", "dist", "nested")
		}
		testkit.OK(t, os.MkdirAll(src, 0o755))
		testkit.WriteFile(t, filepath.Join(src, "plugin.json"), fmt.Sprintf(`{"id": %q, "name": "Loaded", "type": %q, "info": {"version": "1.0.0", "updated": "2026-01-31", "keywords": ["load"],
			"logos": {"small": "logo.svg", "large": "logo.svg"}}, "dependencies": {"grafanaDependency": ">=11.6.0"}}`, p.id, p.kind))
		testkit.WriteFile(t, filepath.Join(src, "module.ts"), loaderModule+p.more)
		testkit.WriteFile(t, filepath.Join(src, "lazy.ts"), "import humanize from 'humanize-duration';\nexport const humanized = humanize(1000);\n")
		testkit.WriteFile(t, filepath.Join(src, "logo.svg"), `<svg xmlns="http://www.w3.org/2000/svg"/>`)
	}
	for _, id := range []string{"acme-load-app", "acme-late-panel"} {
		run(t, 0, "", slipway, "build", "--dir", filepath.Join(dir, id))
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(loaderPage)) })
	for name, file := range map[string]string{"system.js": "systemjs/dist/system.js", "amd.js": "systemjs/dist/extras/amd.js", "moment.js": "moment/moment.js"} {
		mux.HandleFunc("GET /"+name, func(w http.ResponseWriter, r *http.Request) {
			http.ServeFile(w, r, filepath.Join(dir, "node_modules", filepath.FromSlash(file)))
		})
	}
	for id, dir := range dist {
		prefix := "/public/plugins/" + id + "/"
		mux.Handle("GET "+prefix, http.StripPrefix(prefix, http.FileServer(http.Dir(dir))))
	}
	server := httptest.NewServer(mux)
	defer server.Close()
	testkit.OK(t, chromedp.Do(tab, chromedp.Navigate(server.URL)))
	for id := range dist {
		ctx, cancel := context.WithTimeout(tab, time.Minute)
		got, err := chromedp.Run(ctx, chromedp.Evaluate[map[string]any](fmt.Sprintf("load(%q)", id), chromedp.EvalAwaitPromise))
		cancel()
		if err != nil {
			t.Errorf("%s: %v", id, err)
			continue
		}
		want := map[string]any{
			"moo": "function", "loglevel": "function", "humanize": "3 seconds", "format": "function", "saveAs": "function", "exenv": true,
			"classNames": "a b", "uuid": false, "react": "18", "logo": "/public/plugins/" + id + "/logo.svg",
			"lazy": "1 second", "define": "functionobject",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", id, diff)
		}
	}
}
