package main

import (
	"bytes"
	"cmp"
	"debug/buildinfo"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// sbom returns a CycloneDX document of all modules in the executables, as the Go
// linker recorded them.
func (r *release) sbom(executables []string) ([]byte, error) {
	modules := map[string]cdx.Component{}
	var product string
	for _, file := range executables {
		info, err := buildinfo.ReadFile(file)
		if err != nil {
			return nil, err
		}
		product = info.Main.Path
		goVersion, _, _ := strings.Cut(strings.TrimPrefix(info.GoVersion, "go"), " ")
		std := component("std", goVersion, "")
		modules[std.BOMRef] = std
		for _, m := range info.Deps {
			if m.Replace != nil {
				m = m.Replace
			}
			c := component(m.Path, m.Version, m.Sum)
			modules[c.BOMRef] = c
		}
	}
	list := slices.SortedFunc(maps.Values(modules), func(a, b cdx.Component) int { return cmp.Compare(a.BOMRef, b.BOMRef) })
	var refs []string
	for _, c := range list {
		refs = append(refs, c.BOMRef)
	}
	main := component(product, r.version, "")
	main.Type = cdx.ComponentTypeApplication
	bom := cdx.NewBOM()
	bom.Metadata = &cdx.Metadata{Timestamp: r.date.Format(time.RFC3339), Component: &main}
	bom.Components = &list
	bom.Dependencies = &[]cdx.Dependency{{Ref: main.BOMRef, Dependencies: &refs}}
	var b bytes.Buffer
	err := cdx.NewBOMEncoder(&b, cdx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bom, cdx.SpecVersion1_6)
	return b.Bytes(), err
}

// component returns a Go module as a component; sum is its line in go.sum, or "".
func component(name, version, sum string) cdx.Component {
	url := fmt.Sprintf("pkg:golang/%s@%s", name, strings.ReplaceAll(version, "+", "%2B"))
	c := cdx.Component{BOMRef: url, Type: cdx.ComponentTypeLibrary, Name: name, Version: version, PackageURL: url}
	if sum != "" {
		c.Properties = &[]cdx.Property{{Name: "go.sum", Value: sum}}
	}
	return c
}
