package store

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/slipway-dev/slipway/host"
)

// checkQuota returns an error (host.ErrThrottled) if an organization has the maximum
// number of rows in a table. what names the rows in the message.
func checkQuota(ctx context.Context, tx *sql.Tx, org int64, table, what string, most int) error {
	// Ids count up, so there are at most as many rows as their span: few tables are ever counted.
	const query = `SELECT CASE WHEN (SELECT MAX(id) FROM %[1]s) - (SELECT MIN(id) FROM %[1]s) + 1 < $2 THEN 0
		ELSE (SELECT COUNT(*) FROM %[1]s WHERE org_id = $1) END`
	rows, err := find(ctx, tx, scanOne[int], fmt.Sprintf(query, table), org, most)
	if err == nil && rows >= most {
		err = host.TooMany(what, most)
	}
	return err
}
