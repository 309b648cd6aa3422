package loader

import (
	"fmt"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/access"
)

// ToggleServiceAccounts is the feature toggle of service accounts for plugins.
const ToggleServiceAccounts = access.ToggleServiceAccounts

// minServiceAccounts is the first host version that gives plugins a token.
var minServiceAccounts = semver.New(10, 3, 0, "", "")

// TokenDecision records whether a backend receives a service account token, and why.
type TokenDecision struct {
	Injected bool
	Reason   string
}

// decideToken applies the contract: "iam" in plugin.json, the version of the host, and the toggle.
func decideToken(m *bundle.Metadata, o Options) TokenDecision {
	version, err := semver.NewVersion(o.HostVersion)
	switch {
	case m.IAM == nil:
		return TokenDecision{Reason: `not requested: plugin.json has no "iam"`}
	case o.Token == nil:
		return TokenDecision{Reason: "this host issues no tokens"}
	case err != nil:
		return TokenDecision{Reason: fmt.Sprintf("the host's version %q is not a semantic version", o.HostVersion)}
	case version.LessThan(minServiceAccounts):
		return TokenDecision{Reason: fmt.Sprintf("the host's version %s is below %s", o.HostVersion, minServiceAccounts)}
	case !slices.Contains(o.Toggles, ToggleServiceAccounts):
		return TokenDecision{Reason: "the feature toggle " + ToggleServiceAccounts + " is off"}
	}
	return TokenDecision{Injected: true, Reason: "granted " + granted(m.IAM.Permissions)}
}

// MayHaveToken reports whether a process of the mounted bundle gets a service account
// token. If it may not, a token that an earlier process received must be revoked.
func (p *Plugin) MayHaveToken() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.mayHaveToken()
}

// mayHaveToken is MayHaveToken for callers that hold p.mu.
func (p *Plugin) mayHaveToken() bool {
	m := p.want.bundle.Metadata
	return m.Backend && decideToken(m, p.options).Injected
}

// ToggleRoles is the feature toggle that enables the roles of plugins.
const ToggleRoles = access.ToggleRoles

// minRoles is the first host version that registers the roles of plugins.
var minRoles = semver.New(9, 4, 0, "", "")

// TakesRoles reports whether the roles in plugin.json take effect, which depends on the
// host's version and a toggle.
func (l *Loader) TakesRoles() bool {
	version, err := semver.NewVersion(l.options.HostVersion)
	return err == nil && !version.LessThan(minRoles) && slices.Contains(l.options.Toggles, ToggleRoles)
}

func granted(permissions []bundle.Permission) string {
	if len(permissions) == 0 {
		return "no permissions"
	}
	list := make([]string, len(permissions))
	for i, p := range permissions {
		list[i] = strings.TrimSpace(p.Action + " " + p.Scope)
	}
	return strings.Join(list, ", ")
}
