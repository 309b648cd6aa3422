// Package arch holds the rules of the house as tests: which package may import
// which, and what must never be. It has no code of its own.
package arch
