//go:build !race

package host

const passwordCost = 10 // of bcrypt, about 50 ms
