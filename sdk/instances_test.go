package sdk_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/sdk"
	"github.com/slipway-dev/slipway/sdk/sdktest"
)

type shopSettings struct {
	Version int    `json:"version"`
	Key     string `secret:"key"`
}

// shop is an instance that detects its use after Close.
type shop struct {
	settings shopSettings
	closed   atomic.Int32
	onClose  func()
}

func (s *shop) use() error {
	if s.closed.Load() > 0 {
		return errors.New("used after it was closed")
	}
	return nil
}

func (s *shop) Close() error {
	if s.closed.Add(1) > 1 {
		return errors.New("closed twice")
	}
	if s.onClose != nil {
		s.onClose()
	}
	return nil
}

func (s *shop) CheckHealth(context.Context, *sdk.CheckHealthRequest) (*sdk.CheckHealthResult, error) {
	return &sdk.CheckHealthResult{Status: sdk.HealthOK, Message: fmt.Sprint("version ", s.settings.Version, s.settings.Key)}, s.use()
}

// shops creates instances and records them.
type shops struct {
	mu     sync.Mutex
	all    []*shop
	closed atomic.Int32
	fail   func(shopSettings) error
}

func (m *shops) create(_ context.Context, _ sdk.DataSource, s shopSettings) (*shop, error) {
	if m.fail != nil {
		if err := m.fail(s); err != nil {
			return nil, err
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	made := &shop{settings: s, onClose: func() { m.closed.Add(1) }}
	m.all = append(m.all, made)
	return made, nil
}

func (m *shops) made() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.all)
}

var start = time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)

// at returns the context of a data source whose settings have changed n times.
func at(uid string, n int) sdk.Context {
	return sdk.Context{OrgID: 1, DataSource: &sdk.DataSource{UID: uid, Settings: sdk.Settings{
		JSON: fmt.Appendf(nil, `{"version":%d}`, n), Updated: start.Add(time.Duration(n) * time.Millisecond),
	}}}
}

func hold(t *testing.T, i *sdk.Instances[*shop], c sdk.Context) (*shop, func()) {
	t.Helper()
	s, release, err := i.Hold(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return s, release
}

func TestInstancesAreShared(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &shops{}
		i := sdk.DataSources(m.create)
		var group sync.WaitGroup
		for range 50 {
			group.Go(func() {
				_, release := hold(t, i, at("a", 1))
				time.Sleep(time.Second)
				release()
				release() // does nothing more
			})
		}
		group.Wait()
		other := at("a", 1)
		other.OrgID = 2
		for _, c := range []sdk.Context{other, at("b", 1)} {
			_, release := hold(t, i, c)
			release()
		}
		if m.made() != 3 {
			t.Errorf("created %d instances for three data sources", m.made())
		}
		time.Sleep(59 * time.Minute)
		synctest.Wait()
		if m.closed.Load() != 0 {
			t.Error("an instance was closed before it was idle for an hour")
		}
		_, release := hold(t, i, at("b", 1))
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if m.closed.Load() != 2 {
			t.Errorf("%d closed, want the two that were idle", m.closed.Load())
		}
		release()
		if err := i.Close(); err != nil || m.closed.Load() != 3 {
			t.Errorf("%v, %d closed", err, m.closed.Load())
		}
		if _, _, err := i.Hold(t.Context(), at("a", 1)); err == nil {
			t.Error("Hold succeeded after Close")
		}
	})
}

func TestInstancesFollowSettings(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &shops{}
		i := sdk.DataSources(m.create)
		old, releaseOld := hold(t, i, at("a", 1))
		changed, release := hold(t, i, at("a", 2))
		if changed == old || changed.settings.Version != 2 {
			t.Errorf("%+v after the change", changed.settings)
		}
		release()
		synctest.Wait()
		if old.closed.Load() != 0 {
			t.Error("the instance was closed while it was in use")
		}
		late, release := hold(t, i, at("a", 1)) // was in transit
		if late != changed {
			t.Errorf("a late call got version %d", late.settings.Version)
		}
		release()
		releaseOld()
		synctest.Wait()
		if old.closed.Load() != 1 || m.made() != 2 {
			t.Errorf("closed %d times, %d made", old.closed.Load(), m.made())
		}
		time.Sleep(2 * time.Minute) // by now, older settings come from a restored backup
		restored, release := hold(t, i, at("a", 1))
		if restored.settings.Version != 1 {
			t.Errorf("version %d, want the restored one", restored.settings.Version)
		}
		release()
		secret := at("a", 1) // same time, another secret
		secret.DataSource.Secrets = map[string]string{"key": "k"}
		other, release := hold(t, i, secret)
		if other == restored || other.settings.Key != "k" {
			t.Error("a changed secret was ignored")
		}
		release()
		if err := i.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestInstanceThatCannotBeMade(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		m := &shops{fail: func(s shopSettings) error {
			switch s.Version {
			case 2:
				calls++
				return errors.New("no")
			case 3:
				panic("oh")
			}
			return nil
		}}
		i := sdk.DataSources(m.create)
		old, release := hold(t, i, at("a", 1))
		release()
		for range 3 {
			if _, _, err := i.Hold(t.Context(), at("a", 2)); err == nil || err.Error() != "no" {
				t.Errorf("%v", err)
			}
		}
		if _, _, err := i.Hold(t.Context(), at("a", 1)); err == nil {
			t.Error("a late call got the old settings")
		}
		synctest.Wait()
		if calls != 4 || old.closed.Load() != 1 {
			t.Errorf("%d calls, closed %d times", calls, old.closed.Load())
		}
		if _, _, err := i.Hold(t.Context(), at("a", 3)); err == nil || strings.Contains(err.Error(), "oh") {
			t.Errorf("a panic became %v", err)
		}
		_, release = hold(t, i, at("a", 4))
		release()
		wrong := at("b", 1)
		wrong.DataSource.JSON = []byte(`{"version":"x"}`)
		var e *sdk.Error
		if _, _, err := i.Hold(t.Context(), wrong); !errors.As(err, &e) || e.Status != 400 || !strings.Contains(e.Message, `"version" must be an integer`) {
			t.Errorf("%v", err)
		}
		none, release := hold(t, i, sdk.Context{}) // the plugin itself is called
		if none.settings != (shopSettings{}) {
			t.Errorf("%+v", none.settings)
		}
		release()
		if err := i.Close(); err != nil {
			t.Error(err)
		}
	})
}

// A call of create that blocks delays only the calls for its instance, and is canceled
// when the last of them has left.
func TestInstanceThatHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var ended atomic.Int32
		i := sdk.DataSources(func(ctx context.Context, _ sdk.DataSource, s shopSettings) (*shop, error) {
			if s.Version == 1 {
				<-ctx.Done()
				ended.Add(1)
				return nil, ctx.Err()
			}
			return &shop{settings: s}, nil
		})
		var group sync.WaitGroup
		for n := range 3 {
			group.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(n+1)*time.Second)
				defer cancel()
				if _, _, err := i.Hold(ctx, at("a", 1)); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("%v", err)
				}
			})
		}
		time.Sleep(2500 * time.Millisecond)
		synctest.Wait()
		if ended.Load() != 0 {
			t.Error("create was canceled while a call was waiting")
		}
		group.Wait()
		synctest.Wait()
		if ended.Load() != 1 {
			t.Errorf("%d ended", ended.Load())
		}
		waiting := make(chan *shop)
		go func() {
			s, release, err := i.Hold(t.Context(), at("a", 1)) // and now the settings change
			if err != nil {
				t.Error(err)
			}
			release()
			waiting <- s
		}()
		synctest.Wait()
		s, release := hold(t, i, at("a", 2))
		if got := <-waiting; got != s {
			t.Error("a call that waited for the old settings did not get the new instance")
		}
		release()
		if err := i.Close(); err != nil || ended.Load() != 2 {
			t.Errorf("%v, %d ended", err, ended.Load())
		}
	})
}

// With 10,000 concurrent calls and 100 changes of settings, every instance is closed
// exactly once and not used afterwards.
func TestInstancesUnderLoad(t *testing.T) {
	const requests, changes = 10_000, 100
	before := runtime.NumGoroutine()
	m := &shops{}
	i := sdk.DataSources(m.create)
	var used atomic.Int64
	var group sync.WaitGroup
	for range 100 {
		group.Go(func() {
			for range requests / 100 {
				version := int(used.Add(1)-1) / (requests / changes)
				s, release, err := i.Hold(t.Context(), at(string(rune('a'+rand.IntN(5))), version))
				if err != nil {
					t.Error(err)
					return
				}
				runtime.Gosched()
				if err := s.use(); err != nil {
					t.Error(err)
				}
				release()
			}
		})
	}
	group.Wait()
	if err := i.Close(); err != nil {
		t.Error(err)
	}
	for _, s := range m.all {
		if n := s.closed.Load(); n != 1 {
			t.Errorf("version %d was closed %d times", s.settings.Version, n)
		}
	}
	if m.made() < changes {
		t.Errorf("%d instances", m.made())
	}
	t.Logf("%d instances for %d calls and %d changes of 5 data sources", m.made(), requests, changes)
	for runtime.NumGoroutine() > before { // until the test times out, which prints them
		time.Sleep(time.Millisecond)
	}
}

type clock struct {
	settings shopSettings
	started  chan<- int
}

func (c *clock) SubscribeStream(_ context.Context, req *sdk.StreamRequest) (json.RawMessage, error) {
	return req.Data, nil
}

func (c *clock) RunStream(ctx context.Context, _ *sdk.StreamRequest, to *sdk.StreamSender) error {
	c.started <- c.settings.Version
	if err := to.Send(c.settings); err != nil {
		return err
	}
	<-ctx.Done()
	return ctx.Err()
}

func (c *clock) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	_, _ = fmt.Fprint(w, c.settings.Version)
}

// A change of settings ends the streams of the old instance with an error that makes the
// host run them again.
func TestPluginOfInstances(t *testing.T) {
	t.Parallel()
	started := make(chan int, 2)
	p := sdk.DataSources(func(_ context.Context, _ sdk.DataSource, s shopSettings) (*clock, error) {
		return &clock{settings: s, started: started}, nil
	}).Plugin()
	got := map[string]bool{
		"QueryData": p.QueryData != nil, "CheckHealth": p.CheckHealth != nil, "PublishStream": p.PublishStream != nil,
		"RunStream": p.RunStream != nil, "SubscribeStream": p.SubscribeStream != nil, "Resources": p.Resources != nil,
	}
	want := map[string]bool{"QueryData": false, "CheckHealth": false, "PublishStream": false, "RunStream": true, "SubscribeStream": true, "Resources": true}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("handlers (-want +got):\n%s", diff)
	}
	k := sdktest.Start(t, p)
	k.Context = at("a", 1)
	ended := make(chan error, 1)
	go func() {
		ended <- k.RunStream(t.Context(), &sdk.StreamRequest{Context: at("a", 1)}, func(json.RawMessage) error { return nil })
	}()
	if v := <-started; v != 1 {
		t.Errorf("version %d", v)
	}
	k.Context = at("a", 2)
	resp, err := k.HTTP().Get("http://plugin/")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	var e *sdk.Error
	if err := <-ended; !errors.As(err, &e) || e.Status != http.StatusServiceUnavailable {
		t.Errorf("the stream ended with %v", err)
	}
	k.Context.DataSource.JSON = []byte(`[]`)
	if resp, err = k.HTTP().Get("http://plugin/"); err != nil || resp.StatusCode != http.StatusBadRequest {
		t.Errorf("with wrong settings: %v, %v", resp, err)
	}
}

type nearly struct{}

func (nearly) QueryData(context.Context, sdk.QueryDataRequest) (sdk.QueryDataResponse, error) {
	return nil, nil
}

type half struct{}

func (half) SubscribeStream(context.Context, *sdk.StreamRequest) (json.RawMessage, error) {
	return nil, nil
}

type onPointer struct{}

func (*onPointer) CheckHealth(context.Context, *sdk.CheckHealthRequest) (*sdk.CheckHealthResult, error) {
	return nil, nil
}

func TestMethodsThatNobodyWouldCall(t *testing.T) {
	t.Parallel()
	refuse := func(name, want string, plugin func()) {
		defer func() {
			if p := fmt.Sprint(recover()); !strings.Contains(p, want) {
				t.Errorf("%s: %s", name, p)
			}
		}()
		plugin()
	}
	refuse("signature", "QueryData", func() { instancesOf[nearly]().Plugin() })
	refuse("half", "StreamHandler", func() { instancesOf[half]().Plugin() })
	refuse("pointer", "return a pointer", func() { instancesOf[onPointer]().Plugin() })
}

func instancesOf[T any]() *sdk.Instances[T] {
	return sdk.Apps(func(context.Context, sdk.App, struct{}) (t T, err error) { return t, nil })
}
