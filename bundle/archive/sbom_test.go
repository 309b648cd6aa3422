package archive

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/internal/testkit"
)

const goldenSBOM = `{
  "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
  "bomFormat": "CycloneDX",
  "specVersion": "1.6",
  "serialNumber": "SERIAL",
  "version": 1,
  "metadata": {
    "timestamp": "2026-01-31T11:30:14Z",
    "tools": {
      "components": [
        {
          "type": "application",
          "name": "slipway",
          "version": "v0.3.0"
        }
      ]
    },
    "component": {
      "bom-ref": "acme-tide-app",
      "type": "application",
      "name": "acme-tide-app",
      "version": "1.2.3"
    }
  },
  "components": [
    {
      "bom-ref": "file:gpx_tide_linux_amd64",
      "type": "file",
      "name": "gpx_tide_linux_amd64",
      "hashes": [
        {
          "alg": "SHA-256",
          "content": "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
        }
      ]
    },
    {
      "bom-ref": "pkg:npm/%40acme/tides@2.0.0%2Bbuild",
      "type": "library",
      "name": "@acme/tides",
      "version": "2.0.0+build",
      "licenses": [
        {
          "expression": "(MIT OR Apache-2.0)"
        }
      ],
      "purl": "pkg:npm/%40acme/tides@2.0.0%2Bbuild"
    },
    {
      "bom-ref": "pkg:npm/left-pad@1.3.0",
      "type": "library",
      "name": "left-pad",
      "version": "1.3.0",
      "hashes": [
        {
          "alg": "SHA-1",
          "content": "68656c6c6f"
        },
        {
          "alg": "SHA-512",
          "content": "776f726c64"
        }
      ],
      "licenses": [
        {
          "license": {
            "name": "SEE LICENSE IN LICENSE.txt"
          }
        }
      ],
      "purl": "pkg:npm/left-pad@1.3.0"
    }
  ]
}
`

func TestSBOM(t *testing.T) {
	t.Parallel()
	dir := files{
		"plugin.json":          `{"id": "acme-tide-app", "executable": "gpx_tide", "info": {"version": "1.2.3"}}`,
		"gpx_tide_linux_amd64": "hello",
		"module.js.map": `{"version": 3, "x_packages": [
			{"name": "left-pad", "version": "1.3.0", "integrity": "sha1-aGVsbG8= sha512-d29ybGQ= md5-x sha512-?", "license": "SEE LICENSE IN LICENSE.txt"}
		], "sources": []}`,
		"data/module.js.map": `{"version": 3, "x_packages": [{"name": "@acme/tides", "version": "2.0.0+build", "license": "(MIT OR Apache-2.0)"}]}`,
		"libs/module.js.map": `{"version": 3, "sources": ["webpack://x"], "x_packages": [{"name": "too-late"}]}`,
		"img/module.js.map":  "not JSON",
	}.write(t)
	out := packed(t, dir, Options{Time: testTime(), ToolVersion: "v0.3.0"})
	got := readTest(t, out, "acme-tide-app-1.2.3.cdx.json")
	var b bom
	testkit.OK(t, json.Unmarshal([]byte(got), &b))
	if !strings.HasPrefix(b.SerialNumber, "urn:uuid:") || len(b.SerialNumber) != len("urn:uuid:")+36 || b.SerialNumber[23] != '8' {
		t.Errorf("serial number = %q", b.SerialNumber)
	}
	if diff := cmp.Diff(goldenSBOM, strings.Replace(got, b.SerialNumber, "SERIAL", 1)); diff != "" {
		t.Errorf("the SBOM differs (-want +got):\n%s", diff)
	}
}

func TestSBOMDamagedPackages(t *testing.T) {
	t.Parallel()
	dir := files{
		"plugin.json":   `{"id": "acme-tide-app", "info": {"version": "1.2.3"}}`,
		"module.js.map": `{"version": 3, "x_packages": [{"name": 1}]}`,
	}.write(t)
	if _, err := Pack(t.Context(), dir, Options{Out: t.TempDir()}); !strings.Contains(errorText(err), "module.js.map: json: ") {
		t.Errorf("error = %v", err)
	}
}

// TestSBOMModules reads the modules of a real executable.
func TestSBOMModules(t *testing.T) {
	t.Parallel()
	dir := files{"plugin.json": `{"id": "acme-tide-app", "executable": "gpx_tide", "info": {"version": "1.2.3"}}`}.write(t)
	for _, name := range []string{"gpx_tide_linux_amd64", "gpx_tide_linux_arm64"} {
		cmd := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(dir, name), "./testdata/program")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go build: %v\n%s", err, out)
		}
	}
	var b bom
	testkit.OK(t, json.Unmarshal([]byte(readTest(t, packed(t, dir, Options{}), "acme-tide-app-1.2.3.cdx.json")), &b))
	found := map[string]bomComponent{}
	for _, c := range b.Components {
		if _, again := found[c.Name]; again {
			t.Errorf("%s is listed twice", c.Name)
		}
		found[c.Name] = c
	}
	crypto := found["golang.org/x/crypto"]
	if len(crypto.Hashes) != 1 || len(crypto.Hashes[0].Content) != 64 || crypto.PURL != "pkg:golang/golang.org/x/crypto@"+crypto.Version {
		t.Errorf("golang.org/x/crypto is %+v", crypto)
	}
	if std := found["std"]; !strings.HasPrefix(std.PURL, "pkg:golang/std@1.") {
		t.Errorf("std is %+v", std)
	}
	if _, ok := found["github.com/slipway-dev/slipway"]; !ok {
		t.Error("the main module is missing")
	}
}
