package console

import "time"

// key is an API key, as GET /api/auth/keys returns it.
type key struct {
	ID         int64
	Name, Role string
	Expiration *time.Time
}

// HasExpired reports whether the key has expired.
func (k key) HasExpired() bool { return k.Expiration != nil && !time.Now().Before(*k.Expiration) }

// keys loads the list of API keys.
func keys(c *client) (any, error) {
	var data struct {
		All                   []key
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
