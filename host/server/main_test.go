package server

import (
	"os"
	"testing"

	"github.com/slipway-dev/slipway/internal/testdb"
)

func TestMain(m *testing.M) { os.Exit(testdb.Main(m)) }
