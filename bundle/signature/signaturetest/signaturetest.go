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

	"github.com/slipway-dev/slipway/internal/testkit"
)

// A Key signs. Public is what verifies it, and ID its keyId.
type Key struct {
	Public, ID string
	entity     *openpgp.Entity
}

// New returns a new key.
func New(tb testing.TB) *Key {
	tb.Helper()
	e := testkit.Must(openpgp.NewEntity("test", "", "", &packet.Config{Algorithm: packet.PubKeyAlgoEdDSA}))(tb)
	var b bytes.Buffer
	w := testkit.Must(armor.Encode(&b, openpgp.PublicKeyType, nil))(tb)
	testkit.OK(tb, e.Serialize(w), w.Close())
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
	return k.Text(tb, testkit.Must(json.MarshalIndent(m, "", "  "))(tb), nil)
}

// Text returns a signed message with any text.
func (k *Key) Text(tb testing.TB, text []byte, c *packet.Config) string {
	tb.Helper()
	b := bytes.NewBufferString("\n") // as Grafana's begin
	w := testkit.Must(clearsign.Encode(b, k.entity.PrivateKey, c))(tb)
	testkit.Must(w.Write(text))(tb)
	testkit.OK(tb, w.Close())
	return b.String() + "\n"
}
