// Program is an executable with the modules that TestSBOMModules expects.
package main

import (
	"fmt"

	"golang.org/x/crypto/blake2b"
)

func main() { fmt.Println(blake2b.Sum256(nil)) }
