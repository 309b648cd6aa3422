// Package fix makes the fixes that findings carry, until none is left.
//
// It owns which of them go together, the proof that a JSON file is still one, and
// how files are changed on disk: each at once or not at all. It refuses to find
// anything itself, to write through symbolic links or out of the folder it was
// given, and to overwrite what has changed since it was read.
package fix
