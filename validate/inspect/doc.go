// Package inspect reads what the rules check: the files of a plugin, the paths, images
// and texts that belong to it, its code, its executables, its manifest, the plugins beside
// it and the range of service versions it accepts.
//
// It defines how these are found and read within limits, and computes each once per
// plugin. It never follows a symbolic link out of the plugin, and it reports nothing:
// the rules determine what is wrong with what it reads.
package inspect
