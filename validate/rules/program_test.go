package rules

import (
	"bytes"
	"testing"

	"github.com/slipway-dev/slipway/bundle"
)

// program returns the header of an executable for a platform.
func program(t testing.TB, p bundle.Platform) []byte {
	t.Helper()
	data := make([]byte, 256)
	switch p.OS {
	case "windows":
		machine := map[string][]byte{"amd64": {0x64, 0x86}, "arm64": {0x64, 0xaa}, "386": {0x4c, 0x01}}[p.Arch]
		copy(data, "MZ")
		data[0x3c] = 0x80
		copy(data[0x80:], "PE\x00\x00")
		copy(data[0x84:], machine)
	case "darwin":
		cpu := map[string][]byte{"amd64": {7, 0, 0, 1}, "arm64": {12, 0, 0, 1}}[p.Arch]
		copy(data, []byte{0xcf, 0xfa, 0xed, 0xfe})
		copy(data[4:], cpu)
		data[12] = 2
	default:
		machine := map[string]byte{"amd64": 62, "arm64": 183, "arm": 40, "386": 3}[p.Arch]
		class, size := byte(2), byte(64)
		if p.Arch == "arm" || p.Arch == "386" {
			class, size = 1, 52
		}
		copy(data, []byte{0x7f, 'E', 'L', 'F', class, 1, 1})
		copy(data[16:], []byte{2, 0, machine, 0, 1})
		data[map[byte]int{1: 40, 2: 52}[class]] = size
	}
	got, err := bundle.ExecutablePlatform(bytes.NewReader(data))
	if err != nil || got != p {
		t.Fatalf("header for %s is for %s: %v", p, got, err)
	}
	return data
}
