package archive

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"strings"
)

// The formats of OpenSSH's keys are in its PROTOCOL.key and in RFC 8709. Package
// golang.org/x/crypto/ssh reads them too, but links a whole SSH implementation.

const opensshEd25519 = "ssh-ed25519"

var errOpenSSHSyntax = errors.New("the key in OpenSSH format is damaged")

// parseOpenSSHPrivateKey reads the content of an "OPENSSH PRIVATE KEY".
func parseOpenSSHPrivateKey(data []byte) (ed25519.PrivateKey, error) {
	rest, ok := bytes.CutPrefix(data, []byte("openssh-key-v1\x00"))
	r := opensshReader{rest: rest, isDamaged: !ok}
	cipher := string(r.bytes())
	r.bytes() // key derivation function
	r.bytes() // and its options
	count := r.uint32()
	r.bytes() // public key
	private := opensshReader{rest: r.bytes()}
	switch {
	case r.isDamaged || count != 1:
		return nil, errOpenSSHSyntax
	case cipher != "none":
		return nil, ErrEncryptedKey
	}
	if check := private.uint32(); check != private.uint32() {
		return nil, errOpenSSHSyntax
	}
	if kind := private.bytes(); !private.isDamaged && string(kind) != opensshEd25519 {
		return nil, errNotEd25519
	}
	public, key := private.bytes(), private.bytes()
	if private.isDamaged || len(key) != ed25519.PrivateKeySize {
		return nil, errOpenSSHSyntax
	}
	// A public key that does not belong to the seed would make signatures invalid.
	made := ed25519.NewKeyFromSeed(key[:ed25519.SeedSize])
	if !bytes.Equal(made, key) || !bytes.Equal(made[ed25519.SeedSize:], public) {
		return nil, errOpenSSHSyntax
	}
	return made, nil
}

// parseOpenSSHPublicKey reads a line "ssh-ed25519 <base64> <comment>". isOpenSSH
// reports whether the line is a public key of OpenSSH of any kind.
func parseOpenSSHPublicKey(line string) (key ed25519.PublicKey, isOpenSSH bool, err error) {
	kind, rest, ok := strings.Cut(line, " ")
	if !ok || !strings.Contains(kind, "-") {
		return nil, false, nil
	}
	if kind != opensshEd25519 {
		return nil, true, errNotEd25519
	}
	encoded, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	data, err := base64.StdEncoding.Strict().DecodeString(encoded)
	r := opensshReader{rest: data}
	kind, key = string(r.bytes()), r.bytes()
	if err != nil || r.isDamaged || len(r.rest) > 0 || kind != opensshEd25519 || len(key) != ed25519.PublicKeySize {
		return nil, true, errOpenSSHSyntax
	}
	return key, true, nil
}

// opensshReader reads the encoding of RFC 4251, section 5. After an error it returns
// zero values.
type opensshReader struct {
	rest      []byte
	isDamaged bool
}

func (r *opensshReader) uint32() uint32 {
	if r.isDamaged || len(r.rest) < 4 {
		r.isDamaged = true
		return 0
	}
	n := binary.BigEndian.Uint32(r.rest)
	r.rest = r.rest[4:]
	return n
}

// bytes reads a string: its length and that many bytes.
func (r *opensshReader) bytes() []byte {
	n := r.uint32()
	if r.isDamaged || uint64(n) > uint64(len(r.rest)) {
		r.isDamaged = true
		return nil
	}
	data := r.rest[:n]
	r.rest = r.rest[n:]
	return data
}
