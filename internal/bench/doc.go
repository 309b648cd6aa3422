// Package bench measures Slipway as users run it, next to other programs, and compares
// each figure with its bound. The benchmarks are tests; mage bench runs them.
package bench
