// Package templates contains the plugins that scaffold writes, and the function that
// renders them. It does not guess: an invalid id and a directory that is not empty
// are errors.
package templates
