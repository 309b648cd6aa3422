package loader

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/slipway-dev/slipway/internal/text"
)

// Bounds on the log of one plugin.
const (
	maxRecords     = 1000      // that are kept
	maxRecordBytes = 256 << 10 // of all records that are kept
	maxMessage     = 32 << 10  // bytes of the message of a record that is kept, and of its fields
	recordOverhead = 128       // bytes that a record takes in addition to its message and its fields

	byteRate   = 4 << 20 // bytes per second that are logged, of errors and of other records; the rest are dropped
	leastBytes = 4 << 10 // that a record counts: at most 1,024 records are logged in a second
)

// Record is an entry in the log of a plugin.
type Record struct {
	Number  uint64    // grows with each record of the plugin
	Time    time.Time // when the host received it
	Level   slog.Level
	Message string          // valid UTF-8; a panic has many lines
	Fields  json.RawMessage // an object, or nil
	IsCut   bool            // the message or the fields were too long
}

func (r Record) size() int { return recordOverhead + len(r.Message) + len(r.Fields) }

// records is the log of a plugin. It forwards records to the log of the host and keeps the last
// ones. It drops records that exceed the rates.
type records struct {
	logger *slog.Logger

	mu      sync.Mutex
	kept    []Record
	bytes   int // size of kept
	last    uint64
	dropped uint64
	second  int64        // to which volume belongs
	volume  map[bool]int // bytes; true is for errors
}

func newRecords(logger *slog.Logger) *records {
	return &records{logger: logger, volume: map[bool]int{}}
}

func (l *records) add(now time.Time, e entry) {
	isLogged, isFirst := l.keep(now, e)
	switch {
	case isLogged:
		l.logger.LogAttrs(context.Background(), e.level, e.message, e.attrs()...)
	case isFirst:
		l.logger.LogAttrs(context.Background(), slog.LevelWarn, droppingText)
	}
}

const droppingText = "the plugin is logging too much; its remaining records in this second are dropped"

// keep keeps a record. It reports whether the rates allow
// it and, if not, whether it is the first one of its second that they do not allow.
func (l *records) keep(now time.Time, e entry) (ok, isFirst bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	isError := e.level >= slog.LevelError
	if s := now.Unix(); s != l.second {
		l.second = s
		clear(l.volume)
	}
	wasWithin := l.volume[isError] <= byteRate
	if l.volume[isError] += max(e.size, leastBytes); l.volume[isError] > byteRate {
		l.dropped++
		if wasWithin {
			l.append(Record{Time: now, Level: slog.LevelWarn, Message: droppingText})
		}
		return false, wasWithin
	}
	r := Record{Time: now, Level: e.level, Message: e.message, IsCut: e.isCut}
	if len(r.Message) > maxMessage {
		r.Message, r.IsCut = text.Cut(r.Message, maxMessage), true
	}
	if len(e.fields) > 0 {
		fields, err := json.Marshal(e.fields) // never fails: they come from JSON or are strings
		if err != nil || len(fields) > maxMessage {
			fields, r.IsCut = nil, true
		}
		r.Fields = fields
	}
	l.append(r)
	return true, false
}

// append numbers a record and keeps it instead of the oldest ones. The caller holds the lock.
func (l *records) append(r Record) {
	l.last++
	r.Number = l.last
	l.kept = append(l.kept, r)
	l.bytes += r.size()
	excess := 0
	for len(l.kept)-excess > maxRecords || l.bytes > maxRecordBytes {
		l.bytes -= l.kept[excess].size()
		excess++
	}
	l.kept = slices.Delete(l.kept, 0, excess)
}

// Logs returns the last records of the plugin, oldest first, and how many were dropped
// because the plugin logged too much. It keeps at most 1,000 records and 256 KiB.
func (p *Plugin) Logs() (recent []Record, dropped uint64) {
	l := p.records
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.kept), l.dropped
}
