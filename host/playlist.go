package host

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
)

// ItemType says what the value of a playlist item refers to.
type ItemType string

// The kinds of reference in a playlist.
const (
	DashboardByID  ItemType = "dashboard_by_id"  // the value is a dashboard's numeric id
	DashboardByTag ItemType = "dashboard_by_tag" // the value is a tag: every dashboard that has it
)

// Playlist is an ordered list of dashboards to rotate through.
type Playlist struct {
	UID      string
	OrgID    int64
	Name     string
	Interval Interval
	Items    []PlaylistItem // in order; nil where only the head was asked for
}

// PlaylistItem is one entry of a playlist.
type PlaylistItem struct {
	ID    int64 // assigned by the store
	Type  ItemType
	Value string
	Order int // from 1
	Title string
}

// PlaylistDashboard is a dashboard that a playlist item resolved to.
type PlaylistDashboard struct {
	ID    int64
	Title string
	Order int // of the item
}

// Normalize returns the playlist with its items sorted by their order and
// numbered from 1; items with equal order stay as they came. It refuses
// (ErrInvalid) what breaks a rule and names the field.
func (p Playlist) Normalize() (Playlist, error) {
	if err := checkName("name", p.Name); err != nil {
		return Playlist{}, err
	}
	if _, err := ParseInterval(string(p.Interval)); err != nil {
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

func (i PlaylistItem) check(path string) error {
	switch i.Type {
	case DashboardByTag:
		if err := checkName(path+"value", i.Value); err != nil {
			return err
		}
	case DashboardByID:
		if id, err := strconv.ParseInt(i.Value, 10, 64); err != nil || id < 1 {
			return Invalid(path+"value", "%s is not the numeric id of a dashboard", quote(i.Value))
		}
	default:
		return Invalid(path+"type", "%s is neither %s nor %s", quote(string(i.Type)), DashboardByID, DashboardByTag)
	}
	if i.Order < 0 {
		return Invalid(path+"order", "must not be negative")
	}
	return checkText(path+"title", i.Title)
}
