package host

import (
	"github.com/slipway-dev/slipway/host/gate"
	"strings"

	"github.com/slipway-dev/slipway/bundle/access"
)

// Grant is a permission in addition to a basic role.
type Grant struct {
	Action string
	Scope  string // "" and "*" cover everything, and "playlists:*" covers all playlists
}

// String returns the grant for logs.
func (g Grant) String() string {
	if g.Scope == "" {
		return g.Action
	}
	return g.Action + " on " + g.Scope
}

// covers reports whether the grant covers a scope. Every grant covers an empty scope.
func (g Grant) covers(scope string) bool {
	if scope == "" || g.Scope == "" || g.Scope == scope {
		return true
	}
	prefix, isWild := strings.CutSuffix(g.Scope, "*")
	return isWild && (prefix == "" || strings.HasSuffix(prefix, ":")) && strings.HasPrefix(scope, prefix)
}

// CheckGrants returns an error (ErrInvalid) if permissions cannot be granted.
func CheckGrants(grants []Grant) error {
	if len(grants) > gate.MaxGrants {
		return Invalid("iam.permissions", "must not have more than %d entries, found %d", gate.MaxGrants, len(grants))
	}
	for _, g := range grants {
		if err := checkName("iam.permissions.action", g.Action); err != nil {
			return err
		}
		if strings.ContainsAny(g.Action, " *") || !strings.Contains(g.Action, ":") {
			return Invalid("iam.permissions.action", "must have the form resource:verb, found %s", quote(g.Action))
		}
		if err := checkText("iam.permissions.scope", g.Scope); err != nil {
			return err
		}
	}
	return nil
}

// DashboardScopes returns the scopes on which a permission covers a dashboard: its own and
// that of its folder.
func DashboardScopes(uid, folderUID string) []string {
	if folderUID == "" {
		folderUID = access.GeneralFolder
	}
	return []string{access.DashboardScope + uid, access.FolderScope + folderUID}
}

// MaySaveDashboard returns an error (ErrForbidden) if the identity may not replace the
// stored dashboard, or create one if stored is nil. To create a dashboard or to move it
// requires a permission on its new folder or on all dashboards.
func (i Identity) MaySaveDashboard(stored *Dashboard, d Dashboard) error {
	scopes := DashboardScopes(d.UID, d.FolderUID)
	mayPlace := i.Allows(access.DashboardsWrite, access.DashboardScope+"*", scopes[1]) || i.Allows(access.DashboardsCreate, scopes[1])
	mayReplace := stored == nil || i.Allows(access.DashboardsWrite, DashboardScopes(stored.UID, stored.FolderUID)...)
	isMoved := stored == nil || stored.FolderUID != d.FolderUID
	if !mayReplace || isMoved && !mayPlace {
		return Forbidden("Permission denied")
	}
	return nil
}

// Reach is the part of a list for which an identity holds an action.
type Reach struct {
	IsAll bool
	Named map[string][]string // otherwise, the identifiers that grants name, by the prefix of their scopes
}

// Reach returns what the identity sees of a list whose objects have scopes with any of
// the prefixes, such as "dashboards:uid:".
func (i Identity) Reach(action string, prefixes ...string) Reach {
	all := make([]string, len(prefixes))
	for n, prefix := range prefixes {
		all[n] = prefix + "*"
	}
	if i.Allows(action, all...) {
		return Reach{IsAll: true}
	}
	named := map[string][]string{}
	for _, g := range i.Grants {
		for _, prefix := range prefixes {
			if id, ok := strings.CutPrefix(g.Scope, prefix); ok && g.Action == action {
				named[prefix] = append(named[prefix], id)
			}
		}
	}
	return Reach{Named: named}
}
