package webpack

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/bundle/config"
)

const text = `
import path, { resolve } from 'path';
import pkg from './package.json';
const MODE = 'quick';
export default async (env) => merge(await base(env), {
  resolve: {
    alias: {
      '@lib': path.resolve(__dirname, 'src/lib'),
      '@img': path.join(process.cwd(), 'src', 'img'),
      relative: resolve('src/other'),
      view: 'view/dist/view.js', // comment
      exact$: require.resolve('view/dist/other.js'),
      computed: getAlias(),
      ...more,
    },
    fallback: { fs: false, 'util': require.resolve("util/"), stream: isOld ? false : 'stream' },
  },
  plugins: [
    new webpack.ProvidePlugin({ Buffer: ['buffer', 'Buffer'], process: 'process/browser', $: "jquery", x: [a, 'b'], y }),
    new DefinePlugin({
      'process.env.VERSION': JSON.stringify(pkg.version),
      'process.env.MODE': JSON.stringify(MODE),
      'process.env.TIME': JSON.stringify(new Date()),
      'process.env.N': JSON.stringify(3),
      SINGLE: "'a b'", DOUBLE: '"c"', NUMBER: 1.5, YES: true, CODE: 'globalThis.x', "typeof window": '"object"',
    }),
    new webpack.EnvironmentPlugin({ LEVEL: 'info', DEBUG: false, COMPUTED: f() }),
    new webpack.EnvironmentPlugin(['HOME']),
    // new webpack.ProvidePlugin({ commented: 'out' }),
  ],
});`

func TestRead(t *testing.T) {
	t.Parallel()
	want := Settings{
		Substitutions: config.Substitutions{
			Alias: map[string]string{
				"@lib": "./src/lib", "@img": "./src/img", "relative": "./src/other", "view": "view/dist/view.js", "exact$": "view/dist/other.js",
			},
			Define: map[string]string{
				"process.env.VERSION": `"%VERSION%"`, "process.env.MODE": `"quick"`, "process.env.N": "3", "SINGLE": `"a b"`, "DOUBLE": `"c"`,
				"NUMBER": "1.5", "YES": "true", "process.env.LEVEL": `"info"`, "process.env.DEBUG": "false",
			},
			Inject: map[string]config.Export{
				"Buffer": {Module: "buffer", Name: "Buffer"}, "process": {Module: "process/browser", Name: "default"}, "$": {Module: "jquery", Name: "default"},
			},
		},
		Fallback: map[string]string{"fs": "", "util": "util/"},
		Computed: []string{"computed"},
	}
	for _, name := range Names() {
		root := t.TempDir()
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, Read(root)); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
	for _, text := range []string{"", "module.exports = {alias: {", "alias: {a: }", "new DefinePlugin(", "new DefinePlugin({JSON: JSON.stringify})", "alias: {a: resolve}", "new ProvidePlugin({a: []})"} {
		root := t.TempDir()
		if err := os.WriteFile(filepath.Join(root, Names()[0]), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := Read(root); len(got.Alias)+len(got.Define)+len(got.Inject)+len(got.Fallback) > 0 {
			t.Errorf("%s: got %+v", text, got)
		}
	}
}
