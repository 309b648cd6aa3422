package rules

import "github.com/slipway-dev/slipway/validate"

func accessOSEnvironment(p *validate.Pass) {
	goCalls(p, "os", "accesses all environment variables", "Environ", "Clearenv", "ExpandEnv")
}
