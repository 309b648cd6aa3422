package preview

import (
	"os"
	"testing"
	"time"
)

func TestTry(t *testing.T) {
	l, err := Choose(os.Getenv("PV_ROOT"), os.Getenv("PV_WITH"), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Log(l)
	cache := os.Getenv("PV_CACHE")
	if l.Lock != nil {
		s := time.Now()
		l.Dir, err = l.Lock.Install(t.Context(), InstallOptions{CacheDir: cache, Environ: os.Environ(), Out: os.Stderr})
		t.Log("install", time.Since(s), l.Dir, err)
		if err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		for _, production := range []bool{false, true} {
			s := time.Now()
			p, err := Bundle(t.Context(), BundleOptions{Libraries: l, CacheDir: cache, IsProduction: production})
			t.Log(time.Since(s), p, err)
		}
	}
}
