package rules

import "github.com/slipway-dev/slipway/validate"

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
			goCalls("os", "accesses the file system", fileFunctions()...)(p)
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
