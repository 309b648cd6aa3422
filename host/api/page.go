package api

import (
	"cmp"

	"github.com/slipway-dev/slipway/host/gate"
	"github.com/slipway-dev/slipway/host/store"
)

// pageQuery selects a page of a list. Without a limit, the page has
// gate.DefaultPageLength entries. A limit above gate.MaxPageLength is reduced to it.
type pageQuery struct {
	Limit int64 `query:"limit"`
	Page  int64 `query:"page"`
}

func (q pageQuery) page() store.Page { return store.Page{Limit: q.Limit, Number: q.Page} }

// longPage is page for lists that published clients expect to be complete: without a
// limit, the page is as long as a page can be.
func (q pageQuery) longPage() store.Page {
	return store.Page{Limit: cmp.Or(q.Limit, gate.MaxPageLength), Number: q.Page}
}
