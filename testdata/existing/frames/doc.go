// Package frames compares package frame with the data package of Grafana's SDK, which
// existing hosts and plugins use. It consists of tests. If they were in sdk/frame, every plugin
// repository would list the data package and Arrow in its go.sum.
package frames
