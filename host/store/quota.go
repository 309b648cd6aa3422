package store

import (
	"context"
	"database/sql"

	"github.com/slipway-dev/slipway/host"
)

// checkQuota returns an error (host.ErrThrottled) if an organization has the maximum
// number of rows in a table. what names the rows in the message.
func checkQuota(ctx context.Context, tx *sql.Tx, org int64, table, what string, most int) error {
	rows, err := find(ctx, tx, scanOne[int], "SELECT COUNT(*) FROM "+table+" WHERE org_id = $1", org)
	if err == nil && rows >= most {
		err = host.TooMany(what, most)
	}
	return err
}
