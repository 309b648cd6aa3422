package api

import (
	"path"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
)

// publicPath returns the path of a file of a plugin as frontends load it, relative to the
// address of the host.
func publicPath(pluginID, file string) string {
	if strings.Contains(file, "://") {
		return file
	}
	return path.Join("public/plugins", pluginID, file)
}

// pluginAbout is "info" of plugin.json, with the paths under which the host serves
// its images.
type pluginAbout struct {
	Author      pluginAuthor  `json:"author"`
	Description string        `json:"description"`
	Links       []pluginLink  `json:"links"`
	Logos       pluginLogos   `json:"logos"`
	Screenshots []pluginImage `json:"screenshots"`
	Updated     string        `json:"updated"`
	Version     string        `json:"version"`
	Keywords    []string      `json:"keywords"`
}

type pluginAuthor struct {
	Name  string `json:"name"`
	Email string `json:"email,omitempty"`
	URL   string `json:"url,omitempty"`
}

type pluginLink struct {
	Name string `json:"name"`
	URL  string `json:"url"`
}

type pluginLogos struct {
	Small string `json:"small"`
	Large string `json:"large"`
}

type pluginImage struct {
	Name string `json:"name"`
	Path string `json:"path"`
}

func aboutOf(m *bundle.Metadata) pluginAbout {
	i := m.Info
	about := pluginAbout{Author: pluginAuthor(i.Author), Description: i.Description, Links: []pluginLink{}, Screenshots: []pluginImage{},
		Updated: i.Updated, Version: i.Version, Keywords: append([]string{}, i.Keywords...)}
	for _, link := range i.Links {
		about.Links = append(about.Links, pluginLink(link))
	}
	for _, image := range i.Screenshots {
		about.Screenshots = append(about.Screenshots, pluginImage{image.Name, publicPath(m.ID, image.Path)})
	}
	if i.Logos.Small != "" {
		about.Logos.Small = publicPath(m.ID, i.Logos.Small)
	}
	if i.Logos.Large != "" {
		about.Logos.Large = publicPath(m.ID, i.Logos.Large)
	}
	return about
}

// pluginDependencies is "dependencies" of plugin.json, under the names of both profiles.
type pluginDependencies struct {
	ServiceDependency string             `json:"serviceDependency"`
	GrafanaDependency string             `json:"grafanaDependency"`
	GrafanaVersion    string             `json:"grafanaVersion"`
	Plugins           []pluginDependency `json:"plugins"`
}

type pluginDependency struct {
	ID      string      `json:"id"`
	Name    string      `json:"name"`
	Type    bundle.Type `json:"type"`
	Version string      `json:"version"`
}

func dependenciesOf(m *bundle.Metadata) pluginDependencies {
	d := m.Dependencies
	return pluginDependencies{d.ServiceRange, d.ServiceRange, d.ServiceVersion,
		mapped(d.Plugins, func(p bundle.PluginDependency) pluginDependency { return pluginDependency(p) })}
}

// defaultNavURL returns the page that opens when the plugin is selected in the menu.
func defaultNavURL(m *bundle.Metadata, includes []include) string {
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
