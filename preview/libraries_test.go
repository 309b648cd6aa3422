package preview

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/testkit"
)

func TestChoose(t *testing.T) {
	t.Parallel()
	const complete = "node_modules"
	for _, c := range []struct {
		name, with, packageJSON, hosts string
		files                          map[string]string // in node_modules
		want                           string            // a minor, or complete
	}{
		{"nothing is known", "", "", "", nil, "13.2"},
		{"the range of package.json", "", `{"devDependencies": {"@grafana/ui": "^12.0.0"}}`, ">=10.0.0", nil, "12.4"},
		{"dependencies come first", "", `{"dependencies": {"@grafana/ui": "^11.0.0"}, "devDependencies": {"@grafana/ui": "^12.0.0"}}`, "", nil, "11.6"},
		{"any version", "", `{"dependencies": {"@grafana/ui": "*"}}`, "", nil, "13.2"},
		{"an exact version without a lock: the next one", "", `{"dependencies": {"@grafana/ui": "12.1.0"}}`, "", nil, "12.4"},
		{"an old version", "", `{"dependencies": {"@grafana/ui": "9.5.0"}}`, "", nil, "11.6"},
		{"a version of the future", "", `{"dependencies": {"@grafana/ui": "^99.0.0"}}`, "", nil, "13.2"},
		{"the range of hosts", "", `{}`, ">=10.4.0 <13.0.0", nil, "12.4"},
		{"not a range", "", `{"dependencies": {"@grafana/ui": "workspace:*"}}`, "~11.6.0", nil, "11.6"},
		{"asked for", "11.6", `{"dependencies": {"@grafana/ui": "^12.0.0"}}`, "", map[string]string{}, "11.6"},
		{"installed", "", `{"dependencies": {"@grafana/ui": "^11.0.0"}}`, "", map[string]string{}, complete},
		{"installed with two versions", "", `{"dependencies": {"@grafana/ui": "^12.0.0"}}`, "", map[string]string{"@grafana/data/package.json": `{"version": "12.0.0"}`}, "12.4"},
		{"installed without React", "", `{"dependencies": {"@grafana/ui": "^12.0.0"}}`, "", map[string]string{"react/package.json": "{"}, "12.4"},
	} {
		root := t.TempDir()
		if c.files != nil {
			modules(t, root, nil)
			for name, text := range c.files {
				testkit.WriteFile(t, filepath.Join(root, "node_modules/"+name), text)
			}
		}
		if c.packageJSON != "" {
			testkit.WriteFile(t, filepath.Join(root, "package.json"), c.packageJSON)
		}
		l, err := Choose(root, c.with, c.hosts)
		got := complete
		if l.Lock != nil {
			got = l.Lock.Minor
		}
		if err != nil || got != c.want {
			t.Errorf("%s: %s, %v; want %s", c.name, got, err, c.want)
		}
	}
	for _, with := range []string{"1.0", "../12.4", "12"} {
		if _, err := Choose(t.TempDir(), with, ""); err == nil || !strings.Contains(err.Error(), "choose one of 11.6, 12.4, 13.1, 13.2") {
			t.Errorf("%s: %v", with, err)
		}
	}
}
