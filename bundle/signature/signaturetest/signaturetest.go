// Package signaturetest signs a MANIFEST.txt as Grafana's service does, with a key of its own, for tests.
package signaturetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"testing"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/armor"
	"github.com/ProtonMail/go-crypto/openpgp/clearsign"
	"github.com/ProtonMail/go-crypto/openpgp/packet"
)

// A Key signs. Public is what verifies it, and ID its keyId.
type Key struct {
	Public, ID string
	entity     *openpgp.Entity
}

// New returns a new key.
func New(tb testing.TB) *Key {
	tb.Helper()
	e, err := openpgp.NewEntity("test", "", "", &packet.Config{Algorithm: packet.PubKeyAlgoEdDSA})
	if err != nil {
		tb.Fatal(err)
	}
	var b bytes.Buffer
	w, err := armor.Encode(&b, openpgp.PublicKeyType, nil)
	if err == nil {
		err = e.Serialize(w)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		tb.Fatal(err)
	}
	return &Key{b.String(), fmt.Sprintf("%016x", e.PrimaryKey.KeyId), e}
}

// Sign returns the MANIFEST.txt with these files, and with what Grafana requires; values replace or add keys.
func (k *Key) Sign(tb testing.TB, plugin, version string, files map[string]string, values map[string]any) string {
	tb.Helper()
	m := map[string]any{
		"manifestVersion": "2.0.0", "signatureType": "community", "signedByOrg": "acme", "signedByOrgName": "Acme Ltd",
		"plugin": plugin, "version": version, "time": int64(1700000000000), "keyId": k.ID, "files": files,
	}
	maps.Copy(m, values)
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		tb.Fatal(err)
	}
	return k.Text(tb, text, nil)
}

// Text returns a signed message with any text.
func (k *Key) Text(tb testing.TB, text []byte, c *packet.Config) string {
	tb.Helper()
	b := bytes.NewBufferString("\n") // as Grafana's begin
	w, err := clearsign.Encode(b, k.entity.PrivateKey, c)
	if err == nil {
		_, err = w.Write(text)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		tb.Fatal(err)
	}
	return b.String() + "\n"
}
