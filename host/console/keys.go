package console

import "github.com/slipway-dev/slipway/sdk/hostapi"

// keys loads the list of API keys.
func keys(c *client) (any, error) {
	var data struct {
		All                   []hostapi.APIKey
		MayMigrate, MayDelete bool
	}
	p, err := c.permissions()
	if err != nil {
		return nil, err
	}
	data.MayMigrate = p.MaySome("apikeys:create") || p.MaySome("serviceaccounts:write")
	data.MayDelete = p.May("apikeys:delete", "apikeys:id:*") || p.May("serviceaccounts:write", "apikeys:id:*")
	return &data, c.get("/api/auth/keys?includeExpired=true", &data.All)
}
