package signature_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/packet"

	"github.com/slipway-dev/slipway/bundle/signature"
	"github.com/slipway-dev/slipway/bundle/signature/signaturetest"
	"github.com/slipway-dev/slipway/internal/testkit"
)

// TestRead damages a signed manifest, and requires the reason why Grafana does not accept it, if it does not.
func TestRead(t *testing.T) {
	t.Parallel()
	key, other := signaturetest.New(t), signaturetest.New(t)
	files := map[string]string{"plugin.json": strings.Repeat("0", 64)}
	sign := func(values map[string]any) string { return key.Sign(t, "acme-x-panel", "1.0.0", files, values) }
	good := sign(nil)
	edit := func(old, new string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("%q not found in\n%s", old, good)
		}
		return strings.Replace(good, old, new, 1)
	}
	_, armored, _ := strings.Cut(good, "SIGNATURE-----\n\n")
	yesterday := &packet.Config{SigLifetimeSecs: 60, Time: func() time.Time { return time.Now().Add(-24 * time.Hour) }}
	for name, c := range map[string]struct{ text, want string }{
		"as signed":                {good, ""},
		"CRLF":                     {strings.ReplaceAll(good, "\n", "\r\n"), ""}, // which OpenPGP allows
		"BOM before an empty line": {"\ufeff" + good, ""},
		"BOM":                      {"\ufeff" + strings.TrimLeft(good, "\n"), "begins with a byte order mark"},
		"UTF-16":                   {"\xff\xfe" + strings.Join(strings.Split(good, ""), "\x00") + "\x00", "it is UTF-16"},
		"empty":                    {" \n", "it is empty"},
		"plain JSON":               {`{"plugin": "acme-x-panel"}`, "not a signed message"},
		"indented":                 {edit("-----BEGIN PGP SIGNED", " -----BEGIN PGP SIGNED"), "more in the line of"},
		"without the signature":    {good[:strings.Index(good, "-----BEGIN PGP SIGNATURE")], "is not signed"},
		"cut":                      {good[:len(good)-30], "it is incomplete"},
		"another header":           {edit("Hash: ", "Comment: "), "its header or"},
		"damaged armor":            {edit(armored[:8], "!!!!!!!!"), "the block after -----BEGIN PGP SIGNATURE----- is damaged"},
		"changed version":          {edit("1.0.0", "1.0.1"), "its text, or the signature itself, was changed"},
		"changed sum":              {edit("0000", "0001"), "its text, or the signature itself, was changed"},
		"unknown key":              {other.Sign(t, "acme-x-panel", "1.0.0", files, nil), `a key that Grafana does not know, keyId "` + other.ID},
		"unknown keyId":            {sign(map[string]any{"keyId": "0123456789abcdef"}), `keyId "0123456789abcdef"`},
		"no keyId":                 {sign(map[string]any{"keyId": ""}), `keyId ""`},
		"expired":                  {key.Text(t, []byte(`{"keyId": "`+key.ID+`"}`), yesterday), "it has expired"},
		"not JSON":                 {key.Text(t, []byte("x"), nil), "not what Grafana writes"},
		"old format":               {sign(map[string]any{"manifestVersion": ""}), "format of 2020"},
		"no plugin":                {sign(map[string]any{"plugin": ""}), `missing key "plugin"`},
		"no organization":          {sign(map[string]any{"signedByOrg": ""}), `missing key "signedByOrg"`},
		"no files":                 {sign(map[string]any{"files": nil}), `missing key "files"`},
		"no time":                  {sign(map[string]any{"time": 0}), `missing key "time"`},
		"type":                     {sign(map[string]any{"signatureType": "official"}), `unknown signatureType "official"`},
	} {
		err := signature.Read([]byte(c.text), key.Public).Err
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if err := signature.Read([]byte(good), "").Err; err == nil || !strings.Contains(err.Error(), "a key that Grafana does not know") {
		t.Errorf("with Grafana's key: %v", err)
	}
}

// TestKey requires that the key is the one that Grafana publishes.
func TestKey(t *testing.T) {
	t.Parallel()
	f := testkit.Must(os.Open("grafana.asc"))(t)
	defer f.Close()
	ring, err := openpgp.ReadArmoredKeyRing(f) // which verifies what the key says of itself
	if err != nil || len(ring) != 1 || ring[0].PrimaryKey.KeyId != 0x7e4d0c6a708866e7 || ring[0].PrimaryIdentity().Name != "Grafana <eng@grafana.com>" {
		t.Errorf("%v, %v", ring, err)
	}
}

func TestRootURL(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind, specs, root string
		holds, isLocal    bool
	}{
		{"community", ``, "https://example.org", true, false},
		{"private", `"http://localhost:3000/"`, "http://localhost:3000", true, true},
		{"private", `"http://localhost:3000"`, "http://localhost:3000/", true, true},
		{"private", `"http://localhost:3000/"`, "http://127.0.0.1:3000/", false, true},
		{"private", `"http://[::1]/", "http://127.0.0.1/"`, "http://127.0.0.1/", true, true},
		{"private", `"http://localhost:3000/", "https://example.org/grafana"`, "https://example.org/grafana/", true, false},
		{"private", `"https://example.org/grafana"`, "https://example.org/", false, false},
		{"private", `"https://example.org:443/"`, "https://example.org/", false, false},
		{"private", `"https://example.org/"`, "http://example.org/", false, false},
		{"private", `"https://*.example.org/"`, "https://a.example.org/", false, false},
		{"private-glob", `"https://*.example.org/"`, "https://a.example.org", true, false},
		{"private-glob", `"https://*.example.org/"`, "https://a.b.example.org", false, false},
		{"private-glob", `"https://[/"`, "https://a.example.org", false, false},
		{"private", `"https://%/"`, "https://example.org", false, false},
		{"private", `"https://example.org/"`, "https://%", false, false},
	} {
		m := signature.Manifest{SignatureType: c.kind}
		testkit.OK(t, json.Unmarshal([]byte("["+c.specs+"]"), &m.RootURLs))
		if err := m.CheckRootURL(c.root); (err == nil) != c.holds || m.IsLocal() != c.isLocal {
			t.Errorf("%s %s for %s: %v, local: %t", c.kind, c.specs, c.root, err, m.IsLocal())
		}
	}
}
