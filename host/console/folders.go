package console

import "github.com/slipway-dev/slipway/sdk/hostapi"

// folders loads the page of all folders.
func folders(c *client) (any, error) {
	var data struct {
		All                            []hostapi.Folder
		MayCreate, MayWrite, MayDelete bool
	}
	p, err := c.permissions()
	if err != nil {
		return nil, err
	}
	const all = "folders:uid:*"
	data.MayWrite = p.May("folders:write", all)
	data.MayCreate, data.MayDelete = data.MayWrite || p.May("folders:create", all), data.MayWrite || p.May("folders:delete", all)
	return &data, c.get("/api/folders?limit=5000", &data.All)
}
