package console

import (
	"net/url"
	"strconv"
	"time"
)

// account is a service account, as GET /api/serviceaccounts/search returns it.
type account struct {
	ID                            int64
	Name, Login, Role, RequiredBy string // RequiredBy is the plugin that owns the account, or ""
	IsDisabled                    bool
	Tokens                        int64
}

const (
	accountsPerPage = 100
	allAccounts     = "serviceaccounts:id:*"
)

// accounts loads a page of the list of service accounts.
func accounts(c *client) (any, error) {
	q := c.r.URL.Query()
	var data struct {
		Query               string
		ServiceAccounts     []account
		TotalCount, Page    int
		Prev, Next          string
		MayCreate           bool
		MayKeys, MayPlugins bool
	}
	p, err := c.permissions()
	if err != nil {
		return nil, err
	}
	data.MayCreate = p.May("serviceaccounts:create", allAccounts) || p.May("serviceaccounts:write", allAccounts)
	data.MayKeys, data.MayPlugins = p.MayKeys(), p.MaySome("plugins:write")
	search := url.Values{"query": {q.Get("query")}, "perpage": {strconv.Itoa(accountsPerPage)}, "page": {"1"}}
	if page, err := strconv.Atoi(q.Get("page")); err == nil && page > 0 {
		search.Set("page", strconv.Itoa(page))
	}
	if err := c.get("/api/serviceaccounts/search?"+search.Encode(), &data); err != nil {
		return nil, err
	}
	data.Query = q.Get("query")
	link := func(page int) string {
		return "/accounts?" + url.Values{"query": {data.Query}, "page": {strconv.Itoa(page)}}.Encode()
	}
	if data.Page > 1 {
		data.Prev = link(data.Page - 1)
	}
	if data.Page*accountsPerPage < data.TotalCount {
		data.Next = link(data.Page + 1)
	}
	return data, nil
}

// MayKeys reports whether the caller may list API keys.
func (p permissions) MayKeys() bool {
	return p.May("apikeys:read", "apikeys:id:*") || p.May("serviceaccounts:write", "apikeys:id:*")
}

// accountToken is a token, as GET /api/serviceaccounts/{id}/tokens returns it.
type accountToken struct {
	ID                              int64
	Name                            string
	Created, Expiration, LastUsedAt *time.Time
	HasExpired                      bool
}

// oneAccount loads the page of a service account and its tokens.
func oneAccount(c *client) (any, error) {
	id := c.r.PathValue("id")
	var data struct {
		account
		List                           []accountToken
		MayWrite, MayRevoke, MayDelete bool
	}
	path := "/api/serviceaccounts/" + url.PathEscape(id)
	if err := c.get(path, &data.account); err != nil {
		return nil, err
	}
	if err := c.get(path+"/tokens", &data.List); err != nil {
		return nil, err
	}
	p, err := c.permissions()
	scope := "serviceaccounts:id:" + id
	data.MayRevoke = p.May("serviceaccounts:write", scope) && (data.RequiredBy == "" || c.who.IsAdmin())
	data.MayWrite = data.MayRevoke && data.RequiredBy == ""
	data.MayDelete = data.MayRevoke || data.RequiredBy == "" && p.May("serviceaccounts:delete", scope)
	return data, err
}

// roles loads the roles that plugins define.
func roles(c *client) (any, error) {
	var all []struct {
		Name, DisplayName, Description, PluginID string
		Permissions                              []struct{ Action, Scope string }
		GrantedTo                                []string
	}
	return all, c.get("/api/access-control/roles", &all)
}

// profile loads what the caller is and may do.
func profile(c *client) (any, error) {
	var data struct {
		User struct {
			Login, Role, Kind string
		}
		Org         struct{ Name string }
		Permissions permissions
	}
	if err := c.get("/api/user", &data.User); err != nil {
		return nil, err
	}
	var err error
	if data.Permissions, err = c.permissions(); err != nil {
		return nil, err
	}
	if data.Permissions.MaySome("orgs:read") {
		err = c.get("/api/org", &data.Org)
	}
	return data, err
}
