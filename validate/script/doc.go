// Package script reads TypeScript, JavaScript and JSX as tokens, with their brackets
// paired, and answers what rules ask of them: which names are globals of the browser,
// which calls have which arguments, what a file imports.
//
// It distinguishes code from strings, templates, regular expressions, comments and the
// text of JSX. It checks no syntax and resolves no types: what it cannot read is an error,
// and a name that a file declares anywhere does not count as a global there.
package script
