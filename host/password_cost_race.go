//go:build race

package host

import "golang.org/x/crypto/bcrypt"

// Under the race detector, which is for tests, bcrypt takes 50 times as long.
const passwordCost = bcrypt.MinCost
