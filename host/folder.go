package host

import (
	"net/url"
	"time"

	"github.com/slipway-dev/slipway/bundle/access"
)

// Folder groups dashboards.
type Folder struct {
	ID        int64
	UID       string // assigned by the store if empty
	Title     string
	Version   int64     // starts at 1 and grows with each change
	Created   time.Time // zero if it is not known
	CreatedBy string    // a login
	Updated   time.Time // zero if it is not known
	UpdatedBy string    // a login
}

// Check returns an error (ErrInvalid) if the folder breaks a rule.
func (f Folder) Check() error {
	if err := checkName("title", f.Title); err != nil {
		return err
	}
	if f.UID != "" && !IsUID(f.UID) {
		return Invalid("uid", UIDRule, Quote(f.UID))
	}
	if f.UID == access.GeneralFolder {
		return Invalid("uid", "must not be %s, which stands for no folder", access.GeneralFolder)
	}
	return nil
}

// URL returns the path of the folder in URLs.
func (f Folder) URL() string {
	return "/dashboards/f/" + f.UID + "/" + url.PathEscape(slugOrHash(f.Title))
}
