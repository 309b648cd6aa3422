package targets

import (
	"os"

	"github.com/slipway-dev/slipway/internal/verbs"
)

// Rules lists what validate checks.
func Rules() error { return exit(verbs.Rules(os.Stdout)) }

// Explain says why there is a rule, how to fix what it finds, and shows an example: mage explain path-missing.
func Explain(rule string) error { return exit(verbs.Explain(os.Stdout, rule)) }

// Schema writes JSON Schema files with which an editor helps with plugin.json and slipway.yaml.
func Schema(what, dir, profile *string) error {
	return exit(verbs.Schema(os.Stdout, verbs.SchemaOptions{What: value(what), Dir: value(dir), Profile: value(profile)}))
}
