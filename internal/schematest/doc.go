// Package schematest compares what validate accepts and writes with a library for JSON Schema.
// It consists of tests. If they were in the packages that they test, every plugin repository
// would list the library in its go.sum.
package schematest
