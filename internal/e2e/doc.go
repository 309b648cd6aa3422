// Package e2e contains the end-to-end tests. They run the slipway command and the Mage
// targets as a user does, with real processes, from an empty directory to a killed host,
// and run plugins of our SDK and of Grafana's in each other's hosts. The package
// consists of tests that require the build tag e2e.
package e2e
