package console

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/bundle/access"
	"github.com/slipway-dev/slipway/sdk/hostapi"
)

const (
	accountsPerPage = 100
	allAccounts     = "serviceaccounts:id:*"
)

func accounts(c *client) (any, error) {
	q := c.r.URL.Query()
	var data struct {
		hostapi.AccountPage
		Query, Prev, Next   string
		MayCreate           bool
		MayKeys, MayPlugins bool
	}
	data.MayCreate = c.May(access.ServiceAccountsCreate, allAccounts) || c.May(access.ServiceAccountsWrite, allAccounts)
	data.MayKeys, data.MayPlugins = c.MayKeys(), c.MaySome(access.PluginsWrite)
	search := url.Values{"query": {q.Get("query")}, "perpage": {strconv.Itoa(accountsPerPage)}, "page": {"1"}}
	if page, err := strconv.Atoi(q.Get("page")); err == nil && page > 0 {
		search.Set("page", strconv.Itoa(page))
	}
	if err := c.get("/api/serviceaccounts/search?"+search.Encode(), &data.AccountPage); err != nil {
		return nil, err
	}
	data.Query = q.Get("query")
	link := func(page int64) string {
		return "/accounts?" + url.Values{"query": {data.Query}, "page": {strconv.FormatInt(page, 10)}}.Encode()
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
	return p.May(access.APIKeysRead, "apikeys:id:*") || p.May(access.ServiceAccountsWrite, "apikeys:id:*")
}

func oneAccount(c *client) (any, error) {
	id := c.r.PathValue("id")
	var data struct {
		hostapi.Account
		List                           []hostapi.AccountToken
		MayWrite, MayRevoke, MayDelete bool
	}
	path := "/api/serviceaccounts/" + url.PathEscape(id)
	if err := c.get(path, &data.Account); err != nil {
		return nil, err
	}
	if err := c.get(path+"/tokens", &data.List); err != nil {
		return nil, err
	}
	scope := "serviceaccounts:id:" + id
	data.MayRevoke = c.May(access.ServiceAccountsWrite, scope) && (data.RequiredBy == "" || c.who.IsAdmin())
	data.MayWrite = data.MayRevoke && data.RequiredBy == ""
	data.MayDelete = data.MayRevoke || data.RequiredBy == "" && c.May(access.ServiceAccountsDelete, scope)
	return data, nil
}

// all loads a list of the API.
func all[T any](path string) func(*client) (any, error) {
	return func(c *client) (any, error) {
		var list []T
		err := c.get(path, &list)
		return list, err
	}
}

func profile(c *client) (any, error) {
	data := struct {
		User        hostapi.User
		Org         hostapi.Org
		Permissions permissions
	}{User: c.who, Permissions: c.permissions}
	if !c.MaySome(access.OrgRead) {
		return data, nil
	}
	return &data, c.get("/api/org", &data.Org)
}

func keys(c *client) (any, error) {
	var data struct {
		All                   []hostapi.APIKey
		MayMigrate, MayDelete bool
	}
	data.MayMigrate = c.MaySome(access.APIKeysCreate) || c.MaySome(access.ServiceAccountsWrite)
	data.MayDelete = c.May(access.APIKeysDelete, "apikeys:id:*") || c.May(access.ServiceAccountsWrite, "apikeys:id:*")
	return &data, c.get("/api/auth/keys?includeExpired=true", &data.All)
}

// login loads the sign-in page. Next is the page to go to afterward, on this host.
func login(c *client) (any, error) {
	next := c.r.URL.Query().Get("next")
	u, err := url.Parse(next)
	isHere := err == nil && u.Scheme == "" && u.Host == "" && strings.HasPrefix(next, "/") && !strings.HasPrefix(u.Path, "//") &&
		!strings.Contains(next, `\`) && !strings.Contains(u.Path, `\`)
	if !isHere {
		next = "/"
	}
	return struct{ Next string }{next}, nil
}
