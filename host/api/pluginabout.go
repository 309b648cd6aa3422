package api

import (
	"path"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/sdk/hostapi"
)

// publicPath returns the path of a file of a plugin as frontends load it, relative to the
// address of the host.
func publicPath(pluginID, file string) string {
	if strings.Contains(file, "://") {
		return file
	}
	return path.Join("public/plugins", pluginID, file)
}

func aboutOf(m *bundle.Metadata) hostapi.PluginInfo {
	i := m.Info
	about := hostapi.PluginInfo{Author: hostapi.Person(i.Author), Description: i.Description, Links: []hostapi.Link{}, Screenshots: []hostapi.Screenshot{},
		Updated: i.Updated, Version: i.Version, Keywords: append([]string{}, i.Keywords...)}
	for _, link := range i.Links {
		about.Links = append(about.Links, hostapi.Link(link))
	}
	for _, image := range i.Screenshots {
		about.Screenshots = append(about.Screenshots, hostapi.Screenshot{Name: image.Name, Path: publicPath(m.ID, image.Path)})
	}
	if i.Logos.Small != "" {
		about.Logos.Small = publicPath(m.ID, i.Logos.Small)
	}
	if i.Logos.Large != "" {
		about.Logos.Large = publicPath(m.ID, i.Logos.Large)
	}
	return about
}

func dependenciesOf(m *bundle.Metadata) hostapi.Dependencies {
	d := m.Dependencies
	return hostapi.Dependencies{ServiceDependency: d.ServiceRange, GrafanaDependency: d.ServiceRange, GrafanaVersion: d.ServiceVersion,
		Plugins: mapped(d.Plugins, func(p bundle.PluginDependency) hostapi.PluginDependency {
			return hostapi.PluginDependency{ID: p.ID, Name: p.Name, Type: string(p.Type), Version: p.Version}
		})}
}

// defaultNavURL returns the page that opens when the plugin is selected in the menu.
func defaultNavURL(m *bundle.Metadata, includes []hostapi.Include) string {
	if m.Type != bundle.TypeApp {
		return ""
	}
	for _, i := range includes {
		if i.DefaultNav && i.Type == "page" && i.Path != "" {
			return i.Path
		}
		if i.DefaultNav && i.Type == "dashboard" && i.UID != "" {
			return "/d/" + i.UID
		}
	}
	return "/plugins/" + m.ID
}
