package bundlerconfig

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestTry(t *testing.T) {
	roots, _ := filepath.Glob(os.Getenv("TRY"))
	for _, root := range roots {
		start := time.Now()
		c, err := Evaluate(t.Context(), root, func(string) error { return nil })
		took := time.Since(start)
		fmt.Println("#", filepath.Base(root), c.File, took.Round(time.Millisecond))
		if err != nil {
			fmt.Println("ERROR", err)
			continue
		}
		out, _ := json.Marshal(c.Settings)
		fmt.Println(string(out))
		for _, m := range c.Unread {
			fmt.Printf("  %s:%d:%d %s\n", m.File, m.Line, m.Column, m.Text)
		}
		fmt.Print("  shared:")
		for _, r := range []string{"react", "react/jsx-runtime", "@grafana/data", "@grafana/ui", "grafana/app", "./x", "react-router-dom", "amd-module"} {
			k, n, err := c.External(t.Context(), r, root, "")
			fmt.Print(" ", r, "=", k, ":", n)
			if err != nil {
				fmt.Print(err)
			}
		}
		fmt.Println()
	}
}
