package sdk_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/sdk"
	"github.com/slipway-dev/slipway/sdk/frame"
	"github.com/slipway-dev/slipway/sdk/sdktest"
)

// Calls with different settings and the same time do not replace each other's instance
// forever.
func TestChangesOfTheSameTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var made atomic.Int32
		i := sdk.DataSources(func(context.Context, sdk.DataSource, shopSettings) (*shop, error) {
			made.Add(1)
			time.Sleep(200 * time.Millisecond)
			return &shop{}, nil
		})
		var group sync.WaitGroup
		for _, key := range []string{"a", "b"} {
			group.Go(func() {
				c := at("x", 1)
				c.DataSource.Secrets = map[string]string{"key": key}
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				_, release, err := i.Hold(ctx, c)
				if err != nil {
					t.Error(err)
					return
				}
				release()
			})
		}
		group.Wait()
		if err := i.Close(); err != nil || made.Load() > 2 {
			t.Errorf("%d were made, %v", made.Load(), err)
		}
	})
}

// A plugin that modifies its settings does not get a new instance.
func TestSettingsAreNotShared(t *testing.T) {
	t.Parallel()
	made := 0 // guarded by the instances
	i := sdk.DataSources(func(_ context.Context, ds sdk.DataSource, _ struct{}) (*shop, error) {
		made++
		ds.Secrets["key"], ds.JSON[0] = "changed", ' '
		return &shop{}, nil
	})
	c := at("a", 1)
	c.DataSource.Secrets = map[string]string{"key": "k"}
	for range 3 {
		_, release := hold(t, i, c)
		release()
	}
	if made != 1 || c.DataSource.Secrets["key"] != "k" || string(c.DataSource.JSON) != `{"version":1}` {
		t.Errorf("%d were made, %v, %s", made, c.DataSource.Secrets, c.DataSource.JSON)
	}
	if err := i.Close(); err != nil {
		t.Error(err)
	}
}

// Close waits until instances are released, but not longer than the host waits.
func TestCloseWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &shops{}
		i := sdk.DataSources(m.create)
		_, release := hold(t, i, at("a", 1))
		time.AfterFunc(time.Second, release)
		if err := i.Close(); err != nil || m.closed.Load() != 1 {
			t.Errorf("%v, %d closed", err, m.closed.Load())
		}
		i = sdk.DataSources(m.create)
		_, release = hold(t, i, at("a", 1))
		if err := i.Close(); err == nil || !strings.Contains(err.Error(), "not closed within") {
			t.Errorf("%v", err)
		}
		release()
		i = sdk.DataSources(func(context.Context, sdk.DataSource, struct{}) (*shop, error) {
			runtime.Goexit() // what t.Fatal does
			return nil, nil
		})
		if _, _, err := i.Hold(t.Context(), at("a", 1)); err == nil {
			t.Error("Hold returned an instance before create returned")
		}
		if err := i.Close(); err != nil {
			t.Error(err)
		}
	})
}

// create does not see the credentials of the first user of a shared instance.
func TestFactoryHasNoCredentials(t *testing.T) {
	t.Parallel()
	var seen http.Header
	k := sdktest.Start(t, sdk.DataSources(func(ctx context.Context, _ sdk.DataSource, _ struct{}) (*clock, error) {
		seen = sdk.ForwardedHeader(ctx)
		return &clock{}, nil
	}).Plugin())
	req := testkit.Must(http.NewRequestWithContext(t.Context(), http.MethodGet, "http://plugin/", nil))(t)
	req.Header.Set("Authorization", "Bearer hunter2")
	resp, err := k.HTTP().Do(req)
	if err != nil || resp.Body.Close() != nil || len(seen) > 0 {
		t.Errorf("%v, %v", seen, err)
	}
}

// A gRPC error from an upstream service does not become the error of the call.
func TestUpstreamsGRPCError(t *testing.T) {
	t.Parallel()
	k := sdktest.Start(t, sdk.Plugin{QueryData: func(context.Context, *sdk.QueryDataRequest) (sdk.QueryDataResponse, error) {
		return nil, sdk.Downstream("the store cannot do that", status.Error(codes.Unimplemented, "token=hunter2"))
	}})
	_, err := k.QueryData(t.Context(), &sdk.QueryDataRequest{})
	want := &sdk.Error{Status: http.StatusBadGateway, Source: sdk.SourceDownstream, Message: "the store cannot do that"}
	if diff := cmp.Diff(error(want), err); diff != "" {
		t.Errorf("error (-want +got):\n%s", diff)
	}
}

func TestOddStatus(t *testing.T) {
	t.Parallel()
	for code, want := range map[int]string{520: "failed with status 520", 42: "Internal Server Error", 200: "Internal Server Error"} {
		k := sdktest.Start(t, sdk.Plugin{QueryData: func(context.Context, *sdk.QueryDataRequest) (sdk.QueryDataResponse, error) {
			return sdk.QueryDataResponse{"A": {Err: &sdk.Error{Status: code}}}, nil
		}})
		if a := k.Query(sdk.Query{}); a.Err == nil || a.Err.Error() != want {
			t.Errorf("%d became %+v", code, a)
		}
	}
}

// picky is never valid.
type picky struct {
	Auth struct {
		Token string `secret:"token" required:"true"`
	} `json:"auth"`
}

func (*picky) Validate() error { return errors.New("never") }

func TestPointersAndNestedStructs(t *testing.T) {
	t.Parallel()
	query := sdk.EachQuery(func(context.Context, sdk.Query, *picky) ([]sdk.Frame, error) { return nil, nil })
	answers, err := query(t.Context(), &sdk.QueryDataRequest{Queries: []sdk.Query{{RefID: "A", JSON: []byte(`{}`)}}})
	if err != nil || answers["A"].Err == nil {
		t.Errorf("an invalid model was accepted: %+v, %v", answers, err)
	}
	visible := sdk.Settings{JSON: []byte(`{"auth":{"Token":"visible"}}`)}
	for _, err := range []error{second(sdk.DecodeSettings[picky](visible)), second(sdk.DecodeSettings[*picky](visible))} {
		if err == nil || !strings.Contains(err.Error(), `the secret "token" is missing`) {
			t.Errorf("%v", err)
		}
	}
	visible.Secrets = map[string]string{"token": "hunter2"}
	if err := second(sdk.DecodeSettings[*picky](visible)); err == nil || !strings.Contains(err.Error(), "never") {
		t.Errorf("%v", err)
	}
}

func second[T any](_ T, err error) error { return err }

// A client notices an aborted response, also through other writers.
func TestBrokenOffBehindMiddleware(t *testing.T) {
	t.Parallel()
	handler := sdk.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) error {
		if _, err := io.WriteString(w, "half"); err != nil {
			return err
		}
		return errors.New("oh")
	})
	k := sdktest.Start(t, sdk.Plugin{Resources: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler.ServeHTTP(struct{ http.ResponseWriter }{w}, r)
	})})
	resp, err := k.HTTP().Get("http://plugin/")
	if err == nil {
		text, readErr := io.ReadAll(resp.Body)
		err = errors.Join(readErr, resp.Body.Close())
		if readErr == nil {
			t.Errorf("%s %q", resp.Status, text)
		}
	}
	if err == nil {
		t.Error("the aborted response was read without an error")
	}
}

type oddClose struct{}

func (oddClose) Close() {}

type disposer struct{}

func (*disposer) Dispose() {}

func TestCloseThatNobodyWouldCall(t *testing.T) {
	t.Parallel()
	for name, plugin := range map[string]func() sdk.Plugin{
		"signature": instancesOf[oddClose]().Plugin, "name": instancesOf[*disposer]().Plugin, "pointer": instancesOf[shop]().Plugin,
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: Plugin did not panic", name)
				}
			}()
			plugin()
		}()
	}
}

// A frame that is returned for several queries gets the RefID of each.
func TestKeptFrame(t *testing.T) {
	t.Parallel()
	kept := frame.New("kept", frame.Of("n", []int{1}))
	k := sdktest.Start(t, sdk.Plugin{QueryData: sdk.EachQuery(func(context.Context, sdk.Query, struct{}) ([]sdk.Frame, error) {
		return []sdk.Frame{kept}, nil
	})})
	for _, id := range []string{"A", "B"} {
		if got := sdktest.Frames(t, k.Query(sdk.Query{RefID: id}))[0].RefID; got != id {
			t.Errorf("the frame of query %s has the RefID %q", id, got)
		}
	}
	if kept.RefID != "" {
		t.Errorf("the author's frame was changed to %s", kept.RefID)
	}
}

func TestAddressesInMessages(t *testing.T) {
	t.Parallel()
	for _, base := range []string{"ann:hunter2@shop.example:80", "ftp://ann:hunter2@h", "http://ann:hunter2@[", "//ann:hunter2@h"} {
		_, err := sdk.JoinURL(base, "a")
		if err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", base, err)
		}
	}
	if u, err := sdk.JoinURL("http://h", "..;x=1"); err == nil {
		t.Errorf("led to %s", u)
	}
}

// The attributes of a call are not part of a group.
func TestLogGroups(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log := sdk.NewLogger(&out, slog.LevelInfo).With("a", 1).WithGroup("db").With("b", 2).WithGroup("")
	k := sdktest.Start(t, sdk.Plugin{CheckHealth: func(ctx context.Context, _ *sdk.CheckHealthRequest) (*sdk.CheckHealthResult, error) {
		log.InfoContext(ctx, "asked", "c", 3)
		return &sdk.CheckHealthResult{Status: sdk.HealthOK}, nil
	}})
	k.Health()
	var line map[string]any
	testkit.OK(t, json.Unmarshal(out.Bytes(), &line))
	want := map[string]any{"pluginId": "test", "orgId": 1.0, "dsUid": "uid", "dsName": "Test", "a": 1.0, "db": map[string]any{"b": 2.0, "c": 3.0}}
	if diff := cmp.Diff(want, line, cmpopts.IgnoreMapEntries(func(key string, _ any) bool { return strings.HasPrefix(key, "@") })); diff != "" {
		t.Errorf("line (-want +got):\n%s", diff)
	}
}

// A call with many queries runs a limited number at once.
func TestQueriesAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var running, most atomic.Int32
		query := sdk.EachQuery(func(context.Context, sdk.Query, struct{}) ([]sdk.Frame, error) {
			if now := running.Add(1); now > most.Load() {
				most.Store(now)
			}
			time.Sleep(time.Second)
			running.Add(-1)
			return nil, nil
		})
		req := &sdk.QueryDataRequest{}
		for n := range 100 {
			req.Queries = append(req.Queries, sdk.Query{RefID: fmt.Sprint(n)})
		}
		answers, err := query(t.Context(), req)
		if err != nil || len(answers) != 100 || most.Load() > 16 || most.Load() < 2 {
			t.Errorf("%d responses, %d at once, %v", len(answers), most.Load(), err)
		}
	})
}
