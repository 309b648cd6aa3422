package validate_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/report"
	"github.com/slipway-dev/slipway/validate/rules"
)

// slow is a tree whose files take a random time to open.
type slow struct{ fs.FS }

func (s slow) Open(name string) (fs.File, error) {
	if rand.IntN(8) == 0 {
		time.Sleep(time.Duration(rand.IntN(300)) * time.Microsecond)
	}
	runtime.Gosched()
	return s.FS.Open(name)
}

// TestDeterminism validates a faulty tree a hundred times in a different order: with random
// delays, one to eight processors, suppressions and a rule that panics. The report must
// be the same in every format.
func TestDeterminism(t *testing.T) { // not parallel, since it changes GOMAXPROCS
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	many := fstest.MapFS{}
	for i := range 12 {
		data := fmt.Sprintf(`{"id": "p%d", "type": "panle", "nmae": "x", "backend": "yes", "info": {"logos": {"smal": "../../x"}}, "alerting": true}`, i)
		many[fmt.Sprintf("p%d/plugin.json", i)] = &fstest.MapFile{Data: []byte(data)}
		many[fmt.Sprintf("p%d/in/plugin.json", i)] = &fstest.MapFile{Data: []byte(strings.Repeat("{", i))}
		many[fmt.Sprintf("p%d/dist/x.js", i)] = &fstest.MapFile{}
	}
	jitter := validate.Rule{ID: "jitter", Severity: validate.Info, Help: "nothing", IsRaw: true, Check: func(p *validate.Pass) {
		time.Sleep(time.Duration(rand.IntN(200)) * time.Microsecond)
		if strings.HasPrefix(p.File, "p3") {
			panic("broken in " + p.File)
		}
		p.Reportf(p.Whole(), "seen")
	}}
	all := append([]validate.Rule{jitter}, rules.All()...)
	opts := validate.Options{
		Rules: all, Prefix: "up", Severities: map[string]validate.Severity{"enum-value": validate.Off},
		Suppressions: []validate.Suppression{{Rule: "jitter", File: "p1*/**", Reason: "x"}, {Rule: "json-bom", Reason: "unused"}},
	}
	runs := 100
	if testing.Short() {
		runs = 24
	}
	sums := map[[sha256.Size]byte]int{}
	for run := range runs {
		runtime.GOMAXPROCS(1 + run%8)
		r := testkit.Must(validate.Run(t.Context(), slow{many}, opts))(t)
		var b bytes.Buffer
		for _, f := range report.Formats() {
			testkit.OK(t, f.Write(&b, r, report.Options{}))
		}
		sums[sha256.Sum256(b.Bytes())]++
	}
	if len(sums) != 1 {
		t.Errorf("%d runs gave %d reports", runs, len(sums))
	}
	for sum, n := range sums {
		t.Logf("%d runs: %x", n, sum)
	}
}
