// Package inspect reads what the rules look at: the files of a plugin, the paths,
// images and texts that belong to it, its executables, its manifest, the plugins
// beside it and the range of service versions it accepts.
//
// It owns how these are found and read within limits, and computes each once per
// plugin. It never follows a symbolic link out of the plugin, and it reports
// nothing: what is wrong with what it reads is for the rules to decide.
package inspect
