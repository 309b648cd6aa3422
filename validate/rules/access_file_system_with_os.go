package rules

import "github.com/slipway-dev/slipway/validate"

func accessFileSystemWithOS(p *validate.Pass) {
	if kind, _ := p.Doc.Text("/type"); kind == "renderer" {
		return // the host tells a renderer which file to write
	}
	goCalls(p, "os", "accesses the file system",
		"Chdir", "Chmod", "Chown", "Chtimes", "CopyFS", "Create", "CreateTemp", "DirFS", "Getwd", "IsExist", "IsNotExist", "IsPermission",
		"Lchown", "Link", "Lstat", "Mkdir", "MkdirAll", "MkdirTemp", "NewFile", "Open", "OpenFile", "OpenInRoot", "OpenRoot", "ReadDir",
		"ReadFile", "Readlink", "Remove", "RemoveAll", "Rename", "SameFile", "Stat", "Symlink", "TempDir", "Truncate", "UserCacheDir",
		"UserConfigDir", "UserHomeDir", "WriteFile")
}
