package rules

import (
	"go/ast"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func accessFileSystemWithOS() validate.Rule {
	return validate.Rule{
		ID:      "access-file-system-with-os",
		Summary: "backend that accesses the file system with package os",
		Why: "A host may run backends where nothing can be written, and its own files are none of a plugin's business. The catalog does " +
			"not accept plugins that access the file system. The rule leaves out renderers, which write the files that the host asks for.",
		Help:  "keep the data in memory or at a service, and files of the plugin in the executable with package embed",
		Where: validate.Source,
		Check: func(p *validate.Pass) {
			if kind, _ := p.Doc.Text("/type"); kind == "renderer" {
				return // the host tells a renderer which file to write
			}
			inspect.EachGoCall(p, "os", func(f *inspect.GoFile, call *ast.CallExpr, name string) {
				p.Reportf(f.Place(p, call.Fun), "os.%s accesses the file system", name)
			}, fileFunctions()...)
		},
	}
}

// fileFunctions returns the functions of package os that concern files.
func fileFunctions() []string {
	return []string{
		"Chdir", "Chmod", "Chown", "Chtimes", "CopyFS", "Create", "CreateTemp", "DirFS", "Getwd", "IsExist", "IsNotExist", "IsPermission",
		"Lchown", "Link", "Lstat", "Mkdir", "MkdirAll", "MkdirTemp", "NewFile", "Open", "OpenFile", "OpenInRoot", "OpenRoot", "ReadDir",
		"ReadFile", "Readlink", "Remove", "RemoveAll", "Rename", "SameFile", "Stat", "Symlink", "TempDir", "Truncate", "UserCacheDir",
		"UserConfigDir", "UserHomeDir", "WriteFile",
	}
}
