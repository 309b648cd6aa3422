package main

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/slipway-dev/slipway/host"
)

// envSecretKey gives the key for secrets, as hosts need that share a database.
const envSecretKey = "SLIPWAY_SECRET_KEY"

// instanceName is the name of this host's tokens, which no other host on the same
// database has. Each start finds by it the tokens of the one before.
func instanceName(dataDir string) (string, error) {
	return kept(filepath.Join(dataDir, "instance"), func() (string, error) { return host.NewUID(rand.Reader) })
}

// secretKey is the key that encrypts the secrets of data sources and apps.
func secretKey(dataDir string) ([]byte, error) {
	if text := os.Getenv(envSecretKey); text != "" {
		key, err := host.ParseKey(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", envSecretKey, err)
		}
		return key, nil
	}
	file := filepath.Join(dataDir, "secret.key")
	text, err := kept(file, func() (string, error) {
		key := make([]byte, host.KeyLength)
		_, err := rand.Read(key)
		return hex.EncodeToString(key), err
	})
	if err != nil {
		return nil, err
	}
	key, err := host.ParseKey(text)
	if err != nil {
		return nil, fmt.Errorf("%s is damaged: restore it, since the secrets that are stored can be read with no other; or delete it and enter them again", file)
	}
	return key, nil
}

// kept returns the text of a file in the data folder, which the first start makes,
// for its owner alone.
func kept(file string, first func() (string, error)) (string, error) {
	known, err := os.ReadFile(file)
	if !errors.Is(err, fs.ErrNotExist) {
		return strings.TrimSpace(string(known)), err
	}
	text, err := first()
	if err != nil {
		return "", fmt.Errorf("make %s: %w", file, err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return "", fmt.Errorf("make the data folder: %w", err)
	}
	if err := writeWhole(file, text+"\n"); err != nil {
		return "", fmt.Errorf("make %s: %w", file, err)
	}
	return text, nil
}

// writeWhole writes a file so that no start that ends early leaves a part of it.
func writeWhole(file, text string) error {
	f, err := os.OpenFile(file+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), file)
}
