package main

import (
	"os"
	"testing"

	"github.com/slipway-dev/slipway/internal/testdb"
)

func TestMain(m *testing.M) {
	if !doubles() {
		os.Exit(testdb.Main(m))
	}
}
