// Package rules holds the checks of plugin.json and of the files it names. All
// lists them. Each rule is one file with an example beside it: min_version_iam.go
// and min_version_iam.txtar. The example is the documentation and the test.
//
// It owns what the contract of plugin.json demands, as plugin.schema.json in our
// own words and as Go where a schema cannot say it. It refuses to search for
// plugins and to decide what a finding leads to (that is validate).
package rules
