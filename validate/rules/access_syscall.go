package rules

import "github.com/slipway-dev/slipway/validate"

func accessSyscall(p *validate.Pass) {
	goCalls(p, "syscall", "belongs to syscall, which the catalog does not accept in plugins")
}
