package main

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	if !doubles() {
		os.Exit(m.Run())
	}
}
