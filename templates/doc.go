// Package templates holds the plugins that scaffold writes, and the one function
// that renders them. It refuses to guess: an id that is not of the right form, or
// a folder that holds something, is an error that says what to do.
package templates
