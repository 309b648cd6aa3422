package host

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/slipway-dev/slipway/host/gate"
	"github.com/slipway-dev/slipway/sdk/hostapi"
)

// Kinds of references in playlist items.
const (
	DashboardByID  = "dashboard_by_id"  // to the dashboard with this id
	DashboardByUID = "dashboard_by_uid" // to the dashboard with this uid
	DashboardByTag = "dashboard_by_tag" // to all dashboards with this tag
)

// NormalizePlaylist returns the playlist with its items sorted by their order, stably, and
// numbered from 1. It returns an error (ErrInvalid) if the playlist breaks a rule.
func NormalizePlaylist(p hostapi.Playlist) (hostapi.Playlist, error) {
	if err := checkName("name", p.Name); err != nil {
		return p, err
	}
	if _, err := ParseInterval(p.Interval); err != nil {
		return p, err
	}
	if n := len(p.Items); n > gate.MaxPlaylistItems {
		return p, Invalid("items", "must not have more than %d entries, found %d", gate.MaxPlaylistItems, n)
	}
	for i, item := range p.Items {
		if err := checkItem(fmt.Sprintf("items[%d].", i), item); err != nil {
			return p, err
		}
	}
	p.Items = append([]hostapi.PlaylistItem{}, p.Items...)
	slices.SortStableFunc(p.Items, func(a, b hostapi.PlaylistItem) int { return cmp.Compare(a.Order, b.Order) })
	for i := range p.Items {
		p.Items[i].Order = float64(i + 1)
	}
	return p, nil
}

func checkItem(path string, i hostapi.PlaylistItem) error {
	switch i.Type {
	case DashboardByTag:
		if err := checkName(path+"value", i.Value); err != nil {
			return err
		}
	case DashboardByID:
		if id, err := strconv.ParseInt(i.Value, 10, 64); err != nil || id < 1 {
			return Invalid(path+"value", "must be the numeric id of a dashboard, found %s", Quote(i.Value))
		}
	case DashboardByUID:
		if !IsUID(i.Value) {
			return Invalid(path+"value", UIDRule, Quote(i.Value))
		}
	default:
		return Invalid(path+"type", "must be %s, %s or %s, found %s", DashboardByID, DashboardByUID, DashboardByTag, Quote(i.Type))
	}
	if i.Order < 0 {
		return Invalid(path+"order", "must not be negative")
	}
	if i.Order > maxOrder || i.Order != math.Trunc(i.Order) {
		return Invalid(path+"order", "must be an integer, found the number %v", i.Order)
	}
	return checkText(path+"title", i.Title)
}

const maxOrder = 1 << 53 // beyond it, numbers in JSON are no longer exact
