package host

import (
	"cmp"
	"fmt"
	"github.com/slipway-dev/slipway/host/gate"
	"slices"
	"strconv"
)

// ItemType is the kind of reference in a playlist item.
type ItemType string

// Kinds of references in playlist items.
const (
	DashboardByID  ItemType = "dashboard_by_id"  // to the dashboard with this id
	DashboardByUID ItemType = "dashboard_by_uid" // to the dashboard with this uid
	DashboardByTag ItemType = "dashboard_by_tag" // to all dashboards with this tag
)

// Playlist is a list of dashboards to rotate through.
type Playlist struct {
	UID      string
	OrgID    int64
	Name     string
	Interval Interval
	Items    []PlaylistItem // sorted by order; nil in lists
}

// PlaylistItem is one entry of a playlist.
type PlaylistItem struct {
	ID    int64 // assigned by the store
	Type  ItemType
	Value string
	Order int // from 1
	Title string
}

// PlaylistDashboard is a dashboard that a playlist item refers to.
type PlaylistDashboard struct {
	ID        int64
	UID       string
	FolderUID string // "" if it is in no folder
	Title     string
	Order     int // of the item
}

// Normalize returns the playlist with its items sorted by their order, stably, and
// numbered from 1. It returns an error (ErrInvalid) if the playlist breaks a rule.
func (p Playlist) Normalize() (Playlist, error) {
	if err := checkName("name", p.Name); err != nil {
		return Playlist{}, err
	}
	if _, err := ParseInterval(string(p.Interval)); err != nil {
		return Playlist{}, err
	}
	if err := CheckItemCount(len(p.Items)); err != nil {
		return Playlist{}, err
	}
	for i, item := range p.Items {
		if err := item.check(fmt.Sprintf("items[%d].", i)); err != nil {
			return Playlist{}, err
		}
	}
	p.Items = slices.Clone(p.Items)
	slices.SortStableFunc(p.Items, func(a, b PlaylistItem) int { return cmp.Compare(a.Order, b.Order) })
	for i := range p.Items {
		p.Items[i].Order = i + 1
	}
	return p, nil
}

// CheckItemCount returns an error (ErrInvalid) if a playlist cannot have n items.
func CheckItemCount(n int) error {
	if n > gate.MaxPlaylistItems {
		return Invalid("items", "must not have more than %d entries, found %d", gate.MaxPlaylistItems, n)
	}
	return nil
}

func (i PlaylistItem) check(path string) error {
	switch i.Type {
	case DashboardByTag:
		if err := checkName(path+"value", i.Value); err != nil {
			return err
		}
	case DashboardByID:
		if id, err := strconv.ParseInt(i.Value, 10, 64); err != nil || id < 1 {
			return Invalid(path+"value", "must be the numeric id of a dashboard, found %s", quote(i.Value))
		}
	case DashboardByUID:
		if !IsUID(i.Value) {
			return Invalid(path+"value", uidRule, quote(i.Value))
		}
	default:
		return Invalid(path+"type", "must be %s, %s or %s, found %s", DashboardByID, DashboardByUID, DashboardByTag, quote(string(i.Type)))
	}
	if i.Order < 0 {
		return Invalid(path+"order", "must not be negative")
	}
	return checkText(path+"title", i.Title)
}
