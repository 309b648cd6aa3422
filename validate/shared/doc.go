// Package shared knows what hosts share with the frontends of plugins: which modules, which names
// these export, and which version of React, in each minor version of the host. The table is that of the
// packages in npm, which are built from the same sources as the host; tools/generate writes it.
package shared
