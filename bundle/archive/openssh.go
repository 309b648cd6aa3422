package archive

import (
	"crypto/ed25519"
	"errors"
	"strings"

	"golang.org/x/crypto/ssh"
)

var errOpenSSHSyntax = errors.New("the key in OpenSSH format is damaged")

// parseOpenSSHPrivateKey reads an "OPENSSH PRIVATE KEY" in PEM.
func parseOpenSSHPrivateKey(data []byte) (ed25519.PrivateKey, error) {
	parsed, err := ssh.ParseRawPrivateKey(data)
	if _, isLocked := errors.AsType[*ssh.PassphraseMissingError](err); isLocked {
		return nil, ErrEncryptedKey
	}
	if err != nil {
		return nil, errOpenSSHSyntax
	}
	key, ok := parsed.(*ed25519.PrivateKey)
	if !ok {
		return nil, errNotEd25519
	}
	// A public key that does not belong to the seed would make signatures invalid.
	if !ed25519.NewKeyFromSeed(key.Seed()).Equal(*key) {
		return nil, errOpenSSHSyntax
	}
	return *key, nil
}

// parseOpenSSHPublicKey reads a line "ssh-ed25519 <base64> <comment>". isOpenSSH
// reports whether the line is a public key of OpenSSH of any kind.
func parseOpenSSHPublicKey(line string) (key ed25519.PublicKey, isOpenSSH bool, err error) {
	kind, _, ok := strings.Cut(line, " ")
	if !ok || !strings.Contains(kind, "-") {
		return nil, false, nil
	}
	if kind != ssh.KeyAlgoED25519 {
		return nil, true, errNotEd25519
	}
	parsed, _, _, _, err := ssh.ParseAuthorizedKey([]byte(line))
	if err != nil {
		return nil, true, errOpenSSHSyntax
	}
	of, ok := parsed.(ssh.CryptoPublicKey)
	if ok {
		key, ok = of.CryptoPublicKey().(ed25519.PublicKey)
	}
	if !ok || len(key) != ed25519.PublicKeySize {
		return nil, true, errOpenSSHSyntax
	}
	return key, true, nil
}
