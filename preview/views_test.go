package preview

import (
	"net/http"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/testkit"
)

// TestViews: each editor and page has a view of its own, so that a check opens all of them.
func TestViews(t *testing.T) {
	t.Parallel()
	with, without := t.TempDir(), t.TempDir()
	testkit.WriteFile(t, filepath.Join(with, "module.js"), "define([], function () {})")
	plugins := []bundle.Plugin{
		{Dir: without, Metadata: &bundle.Metadata{ID: "acme-group-app", Type: bundle.TypeApp}}, // has plugins, and no frontend of its own
		{Dir: with, Metadata: &bundle.Metadata{ID: "acme-x-app", Type: bundle.TypeApp, Includes: []bundle.Include{
			{Type: "page", Name: "Reports", Path: "/a/%PLUGIN_ID%/reports?kind=all"},
			{Type: "page", Name: "Elsewhere", Path: "/explore"},
		}}},
		{Dir: with, Metadata: &bundle.Metadata{ID: "acme-x-datasource", Type: bundle.TypeDatasource}},
	}
	s := New(Options{Mounted: func() []bundle.Plugin { return plugins }, API: func(string) http.Handler { return http.NotFoundHandler() }})
	want := []View{
		{Name: "acme-x-app: root page", Path: "/a/acme-x-app?bare=1"},
		{Name: "acme-x-app: configuration", Path: "/plugins/acme-x-app?bare=1"},
		{Name: "acme-x-app: Reports", Path: "/a/acme-x-app/reports?bare=1&kind=all"},
		{Name: "acme-x-datasource: query", Path: "/datasource/acme-x-datasource?bare=1&tab=query"},
		{Name: "acme-x-datasource: settings", Path: "/datasource/acme-x-datasource?bare=1&tab=settings"},
		{Name: "acme-x-datasource: annotations", Path: "/datasource/acme-x-datasource?bare=1&tab=annotations"},
		{Name: "acme-x-datasource: variable", Path: "/datasource/acme-x-datasource?bare=1&tab=variable"},
	}
	if diff := cmp.Diff(want, s.Views()); diff != "" {
		t.Error(diff)
	}
}
