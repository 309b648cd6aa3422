package handshake

import (
	"errors"
	"testing"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]error{
		"1|2|unix|/tmp/a|grpc\n":        nil,
		"1|2|tcp|127.0.0.1:1|grpc|cert": nil,
		"ready to serve\n":              ErrOther,
		"1|2|udp|127.0.0.1:1|grpc":      ErrOther,
		"1|3|unix|/tmp/a|grpc":          ErrProtocol,
		"1|2|unix|/tmp/a|netrpc":        ErrProtocol,
		"2|2|unix|/tmp/a|grpc|":         ErrProtocol,
		"":                              ErrOther,
	} {
		network, address, err := Parse(line)
		if !errors.Is(err, want) || (err == nil) != (network != "" && address != "") {
			t.Errorf("%q: %q, %q, %v, want %v", line, network, address, err, want)
		}
	}
}
