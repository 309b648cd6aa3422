package loader

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"sync"
	"time"
	"unicode/utf8"
)

// Bounds on the log of one plugin.
const (
	maxRecords     = 1000      // that are kept
	maxRecordBytes = 256 << 10 // of all records that are kept
	maxMessage     = 32 << 10  // bytes of the message of a record that is kept, and of its fields
	recordOverhead = 128       // bytes that a record takes in addition to its message and its fields

	recordRate = 1000 // records per second that are logged; the rest are dropped
	errorRate  = 100  // the same for errors, which have their own budget
	byteRate   = 4 << 20

	maxFollowers = 8 // of one plugin
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

// records is the log of a plugin. It forwards records to the log of the host, keeps the last
// ones, and sends them to followers. It drops records that exceed the rates.
type records struct {
	logger *slog.Logger

	mu        sync.Mutex
	kept      []Record
	bytes     int // size of kept
	last      uint64
	dropped   uint64
	second    int64        // to which the counts below belong
	logged    map[bool]int // records; true is for errors
	volume    map[bool]int // their bytes
	followers map[*follower]struct{}
	isEnded   bool
}

// follower reads the records that are kept. It holds no others, so that slow followers take
// no memory.
type follower struct {
	read  uint64        // number of the last record that it has read; locked by records
	more  chan struct{} // capacity 1: there may be another record
	ended chan struct{} // closed when it gets no more records
}

func newRecords(logger *slog.Logger) *records {
	return &records{logger: logger, followers: map[*follower]struct{}{}, logged: map[bool]int{}, volume: map[bool]int{}}
}

// add logs a record.
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

// keep keeps a record and sends it to the followers. It reports whether the rates allow
// it and, if not, whether it is the first one of its second that they do not allow.
func (l *records) keep(now time.Time, e entry) (ok, isFirst bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	isError := e.level >= slog.LevelError
	if s := now.Unix(); s != l.second {
		l.second = s
		clear(l.logged)
		clear(l.volume)
	}
	l.logged[isError]++
	l.volume[isError] += e.size
	rate := recordRate
	if isError {
		rate = errorRate
	}
	if n := l.logged[isError]; n > rate || l.volume[isError] > byteRate {
		l.dropped++
		if n <= rate { // over byteRate
			l.logged[isError] = rate + 1
			n = rate + 1
		}
		isFirst = n == rate+1
		if isFirst {
			l.append(Record{Time: now, Level: slog.LevelWarn, Message: droppingText})
		}
		return false, isFirst
	}
	r := Record{Time: now, Level: e.level, Message: e.message, IsCut: e.isCut}
	if len(r.Message) > maxMessage {
		r.Message, r.IsCut = cutText(r.Message, maxMessage), true
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

// append numbers a record and keeps it instead of the oldest ones. A follower that has not
// read these loses its feed. The caller holds the lock.
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
	for f := range l.followers {
		if f.read+1 < l.kept[0].Number {
			l.remove(f)
			continue
		}
		select {
		case f.more <- struct{}{}:
		default:
		}
	}
}

// remove ends a feed. The caller holds the lock.
func (l *records) remove(f *follower) {
	if _, ok := l.followers[f]; ok {
		delete(l.followers, f)
		close(f.ended)
	}
}

// next returns the next record for a follower, if there is one.
func (l *records) next(f *follower) (r Record, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := len(l.kept) - int(l.last-f.read)
	if i < 0 || i == len(l.kept) {
		return Record{}, false
	}
	f.read++
	return l.kept[i], true
}

// send sends records to a feed until the follower gets no more.
func (l *records) send(f *follower, feed chan<- Record) {
	defer close(feed)
	for {
		r, ok := l.next(f)
		if !ok {
			select {
			case <-f.more:
				continue
			case <-f.ended:
				return
			}
		}
		select {
		case feed <- r:
		case <-f.ended:
			return
		}
	}
}

// end closes all feeds.
func (l *records) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.isEnded = true
	for f := range l.followers {
		l.remove(f)
	}
}

// Logs returns the last records of the plugin, oldest first, and how many were dropped
// because the plugin logged too much. It keeps at most 1,000 records and 256 KiB.
func (p *Plugin) Logs() (recent []Record, dropped uint64) {
	l := p.records
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.kept), l.dropped
}

// Follow returns the last records with a number greater than after, and a feed of the
// records from then on. The feed is closed when the plugin is unmounted and when the
// follower does not keep up. The caller must call end. ok is false if the plugin has too
// many followers.
func (p *Plugin) Follow(after uint64) (recent []Record, feed <-chan Record, end func(), ok bool) {
	l := p.records
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.followers) >= maxFollowers {
		return nil, nil, nil, false
	}
	for _, r := range l.kept {
		if r.Number > after {
			recent = append(recent, r)
		}
	}
	f := &follower{read: l.last, more: make(chan struct{}, 1), ended: make(chan struct{})}
	l.followers[f] = struct{}{}
	if l.isEnded {
		l.remove(f)
	}
	records := make(chan Record)
	var sending sync.WaitGroup
	sending.Go(func() { l.send(f, records) })
	return recent, records, func() {
		l.mu.Lock()
		l.remove(f)
		l.mu.Unlock()
		sending.Wait()
	}, true
}

// cutText returns the first bytes of a string, at most n, without a part of a character.
func cutText(text string, n int) string {
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}
