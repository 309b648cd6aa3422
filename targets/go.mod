module github.com/slipway-dev/slipway/targets

go 1.24

// The first version with mg.Namespace: a higher one would raise that of plugin repositories.
require github.com/magefile/mage v1.4.0
