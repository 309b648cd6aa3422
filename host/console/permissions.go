package console

import "strings"

// permissions are what the caller may do: scopes by action, as
// GET /api/access-control/user/permissions returns them.
type permissions map[string][]string

func (c *client) permissions() (p permissions, err error) {
	return p, c.get("/api/access-control/user/permissions", &p)
}

// May reports whether the caller may perform an action on a scope, such as
// "datasources:uid:x" or "datasources:uid:*".
func (p permissions) May(action, scope string) bool {
	for _, held := range p[action] {
		prefix, isWild := strings.CutSuffix(held, "*")
		if held == scope || isWild && (prefix == "" || strings.HasSuffix(prefix, ":")) && strings.HasPrefix(scope, prefix) {
			return true
		}
	}
	return false
}

// MaySome reports whether the caller may perform an action on anything.
func (p permissions) MaySome(action string) bool { return len(p[action]) > 0 }
