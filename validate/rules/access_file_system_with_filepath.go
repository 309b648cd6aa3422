package rules

import "github.com/slipway-dev/slipway/validate"

func accessFileSystemWithFilepath(p *validate.Pass) {
	goCalls(p, "path/filepath", "accesses the file system", "Walk", "WalkDir", "VolumeName", "EvalSymlinks", "Glob")
}
