package inspect

import "github.com/slipway-dev/slipway/bundle/tree"

// IsInside reports whether a clean slash path is root or lies below it.
func IsInside(root, name string) bool { return tree.IsInside(root, name) }

// Below returns the path from root to name, which lies below it; "" if they are equal.
func Below(root, name string) string { return tree.Below(root, name) }
