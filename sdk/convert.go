package sdk

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"

	"github.com/slipway-dev/slipway/internal/wire"
	"github.com/slipway-dev/slipway/sdk/frame"
)

// Each direction of each message is written once, here. From the wire, nil is
// the empty value; to the wire, a context and a time range are never nil, since
// existing plugins panic on nil.

func contextFromWire(in *pluginv2.PluginContext) Context {
	c := Context{
		OrgID: in.GetOrgId(), Namespace: in.GetNamespace(), PluginID: in.GetPluginId(), PluginVersion: in.GetPluginVersion(),
		APIVersion: in.GetApiVersion(), UserAgent: in.GetUserAgent(), Config: in.GetGrafanaConfig(),
	}
	if u := in.GetUser(); u != nil {
		c.User = &User{Login: u.GetLogin(), Name: u.GetName(), Email: u.GetEmail(), Role: u.GetRole()}
	}
	if a := in.GetAppInstanceSettings(); a != nil {
		c.App = &App{Settings: settings(a.GetJsonData(), a.GetDecryptedSecureJsonData(), a.GetLastUpdatedMS(), a.GetApiVersion())}
	}
	if d := in.GetDataSourceInstanceSettings(); d != nil {
		c.DataSource = &DataSource{
			Settings: settings(d.GetJsonData(), d.GetDecryptedSecureJsonData(), d.GetLastUpdatedMS(), d.GetApiVersion()),
			ID:       d.GetId(), UID: d.GetUid(), Name: d.GetName(), URL: d.GetUrl(),
			User: d.GetUser(), Database: d.GetDatabase(),
			BasicAuth: d.GetBasicAuthEnabled(), BasicAuthUser: d.GetBasicAuthUser(),
		}
	}
	return c
}

func settings(visible []byte, secrets map[string]string, updatedMS int64, apiVersion string) Settings {
	s := Settings{JSON: visible, Secrets: secrets, APIVersion: apiVersion}
	if updatedMS > 0 { // existing hosts send a zero time as one in 1754
		s.Updated = time.UnixMilli(updatedMS)
	}
	return s
}

func queryFromWire(in *pluginv2.DataQuery) Query {
	return Query{
		RefID: in.GetRefId(), Type: in.GetQueryType(), JSON: in.GetJson(),
		TimeRange:     TimeRange{From: time.UnixMilli(in.GetTimeRange().GetFromEpochMS()), To: time.UnixMilli(in.GetTimeRange().GetToEpochMS())},
		Interval:      time.Duration(in.GetIntervalMS()) * time.Millisecond,
		MaxDataPoints: in.GetMaxDataPoints(),
	}
}

// dataToWire writes the frames and the error of one answer. The cause of the
// error goes to the log, not over the wire. A frame that cannot be written fails
// its own answer and no other.
func dataToWire(ctx context.Context, refID string, r DataResponse) *pluginv2.DataResponse {
	out := &pluginv2.DataResponse{Status: int32(r.Status)}
	for _, f := range r.Frames {
		b, err := marshalFrame(refID, f)
		if err != nil {
			r.Err = &Error{Message: "the plugin could not write a frame of query " + refID, Cause: err}
			break
		}
		out.Frames = append(out.Frames, b)
	}
	if r.Err != nil {
		code, source, message := describe(r.Err)
		logOf(ctx).ErrorContext(ctx, "a query failed", "refId", refID, "status", code, "errorSource", source, "error", r.Err)
		out.Error, out.ErrorSource = wire.Text(message), string(source)
		if r.Status == 0 {
			out.Status = int32(code)
		}
	} else if r.Status == 0 {
		out.Status = http.StatusOK
	}
	return out
}

// marshalFrame writes a frame with refID where the author set none, since hosts match frames
// to queries by it. The author's frame, which may be used again, is not changed.
func marshalFrame(refID string, f Frame) (file []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("writing it panicked: %v", p)
		}
	}()
	if own, ok := f.(*frame.Frame); ok && own != nil && own.RefID == "" {
		named := *own
		named.RefID = refID
		return named.MarshalArrow()
	}
	file, err = f.MarshalArrow()
	if err != nil {
		return nil, err
	}
	return frame.FillRefID(file, refID), nil
}

func healthToWire(r *CheckHealthResult) *pluginv2.CheckHealthResponse {
	return &pluginv2.CheckHealthResponse{
		Status:  pluginv2.CheckHealthResponse_HealthStatus(pluginv2.CheckHealthResponse_HealthStatus_value[string(r.Status)]),
		Message: wire.Text(r.Message), JsonDetails: r.Details,
	}
}

func jsonString(s string) []byte {
	b, _ := json.Marshal(s) // a string always encodes
	return b
}
