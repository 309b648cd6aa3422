package archive

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"

	"github.com/slipway-dev/slipway/internal/testkit"
)

func TestKeys(t *testing.T) {
	t.Parallel()
	key := testKey(1)
	der := testkit.Must(x509.MarshalPKCS8PrivateKey(key))(t)
	open := testkit.Must(ssh.MarshalPrivateKey(key, "author@example.com"))(t)
	for name, block := range map[string]*pem.Block{"PKCS#8": {Type: "PRIVATE KEY", Bytes: der}, "OpenSSH": open} {
		got, err := ParsePrivateKey(pem.EncodeToMemory(block))
		if err != nil || !got.Equal(key) {
			t.Errorf("%s: %v", name, err)
		}
	}
	public := testkit.Must(ssh.NewPublicKey(key.Public()))(t)
	pkix := testkit.Must(x509.MarshalPKIXPublicKey(key.Public()))(t)
	want := publicKey(key)
	for name, text := range map[string]string{
		"PKIX":                  string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: pkix})),
		"OpenSSH":               string(ssh.MarshalAuthorizedKey(public)),
		"minisign":              want.String(),
		"minisign with comment": "untrusted comment: minisign public key " + want.ID() + "\n" + want.String() + "\n",
	} {
		got, err := ParsePublicKey([]byte(text))
		if err != nil || got.ID() != want.ID() || got.String() != want.String() {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	for _, text := range []string{"", "RWQ", "ssh-rsa AAAA", "-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----\n", string(pem.EncodeToMemory(open))} {
		if k, err := ParsePublicKey([]byte(text)); err == nil {
			t.Errorf("%q is read as the key %v", text, k)
		}
	}
	all, err := ParsePublicKeys([]byte("# release keys\n\n" + string(ssh.MarshalAuthorizedKey(public)) + "untrusted comment: of another key\r\n" + publicKey(testKey(2)).String()))
	if err != nil || len(all) != 2 || all[0].ID() != want.ID() || all[1].ID() != publicKey(testKey(2)).ID() {
		t.Errorf("keys = %v, %v", all, err)
	}
	if all, err = ParsePublicKeys(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: pkix})); err != nil || len(all) != 1 || all[0].ID() != want.ID() {
		t.Errorf("keys = %v, %v", all, err)
	}
	for text, want := range map[string]string{"": "no public key", "# none\n": "no public key", string(pem.EncodeToMemory(open)): "a private key: choose the public key", want.String() + "\nx": "line 2: not a public key"} {
		if _, err := ParsePublicKeys([]byte(text)); !strings.Contains(errorText(err), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	for _, text := range []string{string(ssh.MarshalAuthorizedKey(public)), string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: pkix}))} {
		if _, err := ParsePrivateKey([]byte(text)); !strings.Contains(errorText(err), "a public key: choose the private key") {
			t.Errorf("%q: %v", text, err)
		}
	}
	locked := testkit.Must(ssh.MarshalPrivateKeyWithPassphrase(key, "", []byte("secret")))(t)
	if _, err := ParsePrivateKey(pem.EncodeToMemory(locked)); !strings.Contains(errorText(err), "encrypted") {
		t.Errorf("error = %v", err)
	}
}

// TestOpenSSH reads keys that ssh-keygen writes.
func TestOpenSSH(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		t.Skip("ssh-keygen is not installed")
	}
	dir := t.TempDir()
	generate := func(name string, args ...string) (private, public []byte) {
		t.Helper()
		file := filepath.Join(dir, name)
		args = append([]string{"-q", "-C", "author@example.com", "-f", file}, args...)
		if out, err := exec.CommandContext(t.Context(), "ssh-keygen", args...).CombinedOutput(); err != nil {
			t.Fatalf("ssh-keygen: %v\n%s", err, out)
		}
		return []byte(readTest(t, file)), []byte(readTest(t, file+".pub"))
	}
	private, public := generate("plain", "-t", "ed25519", "-N", "")
	key := testkit.Must(ParsePrivateKey(private))(t)
	trusted, err := ParsePublicKey(public)
	if err != nil || trusted.ID() != publicKey(key).ID() {
		t.Errorf("public key = %v, %v; want %v", trusted, err, publicKey(key))
	}
	plugin := plugin().write(t)
	testkit.Must(Sign(plugin, key))(t)
	if _, err := verifyPath(plugin, trusted); err != nil {
		t.Error(err)
	}
	locked, _ := generate("locked", "-t", "ed25519", "-N", "secret")
	if _, err := ParsePrivateKey(locked); !errors.Is(err, ErrEncryptedKey) {
		t.Errorf("encrypted key: %v", err)
	}
	other, otherPublic := generate("ecdsa", "-t", "ecdsa", "-N", "")
	if _, err := ParsePrivateKey(other); !errors.Is(err, errNotEd25519) {
		t.Errorf("ECDSA key: %v", err)
	}
	if _, err := ParsePublicKey(otherPublic); !errors.Is(err, errNotEd25519) {
		t.Errorf("ECDSA public key: %v", err)
	}
	if out, err := exec.CommandContext(t.Context(), "ssh-keygen", "-q", "-p", "-P", "secret", "-N", "", "-f", filepath.Join(dir, "locked")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if _, err := ParsePrivateKey([]byte(readTest(t, dir, "locked"))); err != nil {
		t.Errorf("key without its passphrase: %v", err)
	}
}

func TestKeysInPEM(t *testing.T) {
	t.Parallel()
	other := testkit.Must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	der := testkit.Must(x509.MarshalPKCS8PrivateKey(other))(t)
	pkix := testkit.Must(x509.MarshalPKIXPublicKey(other.Public()))(t)
	if _, err := ParsePublicKey(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: pkix})); !errors.Is(err, errNotEd25519) {
		t.Error(err)
	}
	for _, c := range []struct {
		block pem.Block
		want  string
	}{
		{pem.Block{Type: "PRIVATE KEY", Bytes: der}, "must be an ed25519 key"},
		{pem.Block{Type: "ENCRYPTED PRIVATE KEY", Bytes: der}, "encrypted"},
		{pem.Block{Type: "RSA PRIVATE KEY", Headers: map[string]string{"DEK-Info": "AES"}}, "encrypted"},
		{pem.Block{Type: "EC PRIVATE KEY", Bytes: der}, `found "EC PRIVATE KEY"`},
		{pem.Block{Type: "PRIVATE KEY", Bytes: der[:9]}, "private key in PEM"},
		{pem.Block{Type: "OPENSSH PRIVATE KEY", Bytes: []byte("openssh-key-v1\x00")}, "damaged"},
	} {
		if _, err := ParsePrivateKey(pem.EncodeToMemory(&c.block)); !strings.Contains(errorText(err), c.want) {
			t.Errorf("%s: %v, want %q", c.block.Type, err, c.want)
		}
	}
	if _, err := ParsePrivateKey(nil); err == nil {
		t.Error("an empty file is read as a key")
	}
}
