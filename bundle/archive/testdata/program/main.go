// Program is an executable with the modules that TestSBOMModules expects.
package main

import (
	"fmt"

	"golang.org/x/crypto/bcrypt"
)

func main() { fmt.Println(bcrypt.Cost(nil)) }
