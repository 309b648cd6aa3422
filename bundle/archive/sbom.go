package archive

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"path"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"
)

// Package is an npm package in the frontend of a plugin.
type Package struct {
	Name      string `json:"name"` // with the scope, "@scope/name"
	Version   string `json:"version"`
	Integrity string `json:"integrity"` // Subresource Integrity, as in a lockfile; may be empty
	License   string `json:"license"`   // SPDX expression, or any other text; may be empty
}

// The part of CycloneDX 1.6 that an SBOM of a plugin uses. The format's library
// would add nine modules to the go.sum of every plugin repository.
type (
	bom struct {
		Schema       string         `json:"$schema"`
		Format       string         `json:"bomFormat"`
		SpecVersion  string         `json:"specVersion"`
		SerialNumber string         `json:"serialNumber,omitempty"`
		Version      int            `json:"version"`
		Metadata     bomMetadata    `json:"metadata"`
		Components   []bomComponent `json:"components"`
	}
	bomMetadata struct {
		Timestamp string       `json:"timestamp"`
		Tools     bomTools     `json:"tools"`
		Component bomComponent `json:"component"`
	}
	bomTools struct {
		Components []bomComponent `json:"components"`
	}
	bomComponent struct {
		Ref      string       `json:"bom-ref,omitempty"`
		Type     string       `json:"type"`
		Name     string       `json:"name"`
		Version  string       `json:"version,omitempty"`
		Hashes   []bomHash    `json:"hashes,omitempty"`
		Licenses []bomLicense `json:"licenses,omitempty"`
		PURL     string       `json:"purl,omitempty"`
	}
	bomHash struct {
		Algorithm string `json:"alg"`
		Content   string `json:"content"` // hexadecimal
	}
	bomLicense struct {
		License    *bomLicenseName `json:"license,omitempty"`
		Expression string          `json:"expression,omitempty"` // SPDX
	}
	bomLicenseName struct {
		Name string `json:"name"`
	}
)

// sbom lists what the plugin is made of: the executables, the Go modules in them
// and the npm packages in the frontends. It lists no dependencies between them, since neither source
// records those.
func (p *packer) sbom(ctx context.Context) ([]byte, error) {
	b := bom{
		Schema:      "http://cyclonedx.org/schema/bom-1.6.schema.json",
		Format:      "CycloneDX",
		SpecVersion: "1.6",
		Version:     1,
		Metadata: bomMetadata{
			Timestamp: p.time.Format(time.RFC3339),
			Tools:     bomTools{[]bomComponent{{Type: "application", Name: "slipway", Version: p.options.ToolVersion}}},
			Component: bomComponent{Ref: p.id, Type: "application", Name: p.id, Version: p.version},
		},
	}
	components := map[string]bomComponent{} // by reference
	for name := range p.executables {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		ref := "file:" + name
		components[ref] = bomComponent{Ref: ref, Type: "file", Name: name, Hashes: []bomHash{{"SHA-256", p.sums[name]}}}
		modules, err := p.modules(name)
		if err != nil {
			return nil, err
		}
		for _, m := range modules {
			components[m.Ref] = m
		}
	}
	packages, err := p.packages()
	if err != nil {
		return nil, err
	}
	for _, npm := range packages {
		c := npm.component()
		components[c.Ref] = c
	}
	b.Components = slices.SortedFunc(maps.Values(components), func(x, y bomComponent) int { return cmp.Compare(x.Ref, y.Ref) })
	b.SerialNumber = serialNumber(encodeJSON(b))
	return encodeJSON(b), nil
}

// encodeJSON encodes a value of strings, numbers, slices and maps.
func encodeJSON(v any) []byte {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(v); err != nil {
		panic(err) // these types cannot fail
	}
	return b.Bytes()
}

// serialNumber derives a UUID of version 8 (RFC 9562) from the content.
func serialNumber(content []byte) string {
	sum := sha256.Sum256(content)
	sum[6] = sum[6]&0x0f | 0x80
	sum[8] = sum[8]&0x3f | 0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}

// modules returns the Go modules in an executable: none if Go did not build it.
func (p *packer) modules(name string) ([]bomComponent, error) {
	f, err := openRegular(p.dist, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, ok := f.(io.ReaderAt)
	if !ok {
		return nil, fmt.Errorf("%s does not support random access", name)
	}
	info, err := buildinfo.Read(r)
	if err != nil {
		return nil, nil // not built by Go, or stripped of this information
	}
	goVersion, _, _ := strings.Cut(strings.TrimPrefix(info.GoVersion, "go"), " ")
	list := []bomComponent{goModule(debug.Module{Path: "std", Version: goVersion})}
	if info.Main.Path != "" {
		list = append(list, goModule(info.Main))
	}
	for _, m := range info.Deps {
		if m.Replace != nil && m.Replace.Version == "" {
			m.Sum = "" // replaced by a directory, whose path is the author's own
		} else if m.Replace != nil {
			m = m.Replace
		}
		list = append(list, goModule(*m))
	}
	return list, nil
}

func goModule(m debug.Module) bomComponent {
	if m.Version == "(devel)" {
		m.Version = ""
	}
	c := bomComponent{Type: "library", Name: m.Path, Version: m.Version, PURL: purl("golang", m.Path, m.Version)}
	c.Ref = c.PURL
	if sum, ok := strings.CutPrefix(m.Sum, "h1:"); ok {
		if raw, err := base64.StdEncoding.DecodeString(sum); err == nil {
			c.Hashes = []bomHash{{"SHA-256", hex.EncodeToString(raw)}}
		}
	}
	return c
}

// purl returns a package URL: "pkg:npm/%40scope/name@1.0.0".
func purl(kind, name, version string) string {
	parts := strings.Split(name, "/")
	for i, part := range parts {
		parts[i] = url.QueryEscape(part)
	}
	u := "pkg:" + kind + "/" + path.Join(parts...)
	if version != "" {
		u += "@" + url.QueryEscape(version)
	}
	return u
}

// spdx matches texts that are probably an SPDX expression. It is compiled on first use: every
// command links this package.
var spdx = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\(*[A-Za-z0-9.+-]+\)*( (AND|OR|WITH) \(*[A-Za-z0-9.+-]+\)*)*$`)
})

func (n Package) component() bomComponent {
	c := bomComponent{Type: "library", Name: n.Name, Version: n.Version, PURL: purl("npm", n.Name, n.Version)}
	c.Ref = c.PURL
	switch {
	case n.License == "UNLICENSED" || n.License != "" && !spdx().MatchString(n.License):
		c.Licenses = []bomLicense{{License: &bomLicenseName{n.License}}}
	case n.License != "":
		c.Licenses = []bomLicense{{Expression: n.License}}
	}
	for _, digest := range strings.Fields(n.Integrity) {
		algorithm, text, _ := strings.Cut(digest, "-")
		raw, err := base64.StdEncoding.DecodeString(text)
		name, known := map[string]string{"sha1": "SHA-1", "sha256": "SHA-256", "sha384": "SHA-384", "sha512": "SHA-512"}[algorithm]
		if err == nil && known {
			c.Hashes = append(c.Hashes, bomHash{name, hex.EncodeToString(raw)})
		}
	}
	return c
}

// packages returns the npm packages that the source maps in dist list: package frontend
// records them under "x_packages". The maps of other bundlers list none.
func (p *packer) packages() ([]Package, error) {
	var list []Package
	for _, name := range p.files {
		if path.Base(name) != "module.js.map" {
			continue
		}
		r, err := openRegular(p.dist, name)
		if err != nil {
			return nil, err
		}
		found, err := packagesOf(r)
		if err = errors.Join(err, r.Close()); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		list = append(list, found...)
	}
	return list, nil
}

// packagesOf reads the packages of a source map. They come before the sources, which can be
// large and are not read.
func packagesOf(r io.Reader) ([]Package, error) {
	const maxBytes = 8 << 20
	d := json.NewDecoder(io.LimitReader(r, maxBytes))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, nil // not a source map
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, nil
		}
		switch key {
		case "version", "file", "sourceRoot":
			var skipped json.RawMessage
			if d.Decode(&skipped) != nil {
				return nil, nil
			}
		case "x_packages":
			var list []Package
			return list, d.Decode(&list)
		default:
			return nil, nil
		}
	}
	return nil, nil
}
