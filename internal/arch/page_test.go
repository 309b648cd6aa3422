package arch

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// layers returns the folders of the preview's page from the ground up, each followed by those that it
// may import. The files beside the folders start the page and import all.
func layers() [][]string {
	return [][]string{
		{"boot"},
		{"observe", "boot"},
		{"modules", "observe"},
		{"data"},
		{"services", "boot", "data", "modules", "observe"},
		{"panels", "boot", "data", "observe", "services"},
		{"editors", "services"},
		{"refresh", "boot", "observe", "services"},
		{"views", "boot", "data", "observe", "panels", "refresh", "services"},
	}
}

var scriptImport = regexp.MustCompile(`\b(?:import|export)( type)?\b[^;']*'([.@][^']+)'`)

// TestPage checks what the folders of the page import: each stands on those before it, and what runs before
// the globals are set, boot and observe, has nothing of @grafana but types, whose modules read them.
func TestPage(t *testing.T) {
	t.Parallel()
	may, folders := map[string][]string{}, []string{}
	for _, l := range layers() {
		for _, below := range l[1:] {
			if !slices.Contains(folders, below) {
				t.Errorf("%s may import %s, which does not stand below it", l[0], below)
			}
		}
		may[l[0]], folders = l, append(folders, l[0])
	}
	source, seen := os.DirFS(root+"/preview/page/src"), map[string]bool{}
	err := fs.WalkDir(source, ".", func(name string, d fs.DirEntry, err error) error {
		folder := path.Dir(name)
		if err != nil || d.IsDir() || folder == "." || !strings.HasPrefix(path.Ext(name), ".ts") {
			return err
		}
		seen[folder] = true
		text, err := fs.ReadFile(source, name)
		for _, m := range scriptImport.FindAllStringSubmatch(string(text), -1) {
			imported := path.Dir(path.Join(folder, m[2]))
			switch {
			case m[2][0] == '@' && m[1] == "" && slices.Contains(may["observe"], folder):
				t.Errorf("%s imports %s, which reads globals that are not set yet", name, m[2])
			case m[2][0] == '.' && !slices.Contains(may[folder], imported):
				t.Errorf("%s imports %s: %s may only import %q", name, m[2], folder, may[folder])
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if len(seen) != len(folders) {
		t.Errorf("the page has the folders %v, the table %q", seen, folders)
	}
}
