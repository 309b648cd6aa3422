package backend

import (
	"cmp"
	"net/http"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"

	"github.com/slipway-dev/slipway/sdk"
)

func contextToWire(c sdk.Context) *pluginv2.PluginContext {
	out := &pluginv2.PluginContext{
		OrgId: c.OrgID, Namespace: c.Namespace, PluginId: c.PluginID, PluginVersion: c.PluginVersion,
		ApiVersion: c.APIVersion, UserAgent: c.UserAgent, GrafanaConfig: c.Config,
	}
	if u := c.User; u != nil {
		out.User = &pluginv2.User{Login: u.Login, Name: u.Name, Email: u.Email, Role: u.Role}
	}
	if a := c.App; a != nil {
		out.AppInstanceSettings = &pluginv2.AppInstanceSettings{
			JsonData: a.JSON, DecryptedSecureJsonData: a.Secrets, LastUpdatedMS: millis(a.Updated), ApiVersion: a.APIVersion,
		}
	}
	if d := c.DataSource; d != nil {
		out.DataSourceInstanceSettings = &pluginv2.DataSourceInstanceSettings{
			//lint:ignore SA1019 existing plugins read it
			Id:  d.ID,
			Uid: d.UID, Name: d.Name, Url: d.URL, User: d.User, Database: d.Database,
			BasicAuthEnabled: d.BasicAuth, BasicAuthUser: d.BasicAuthUser,
			JsonData: d.JSON, DecryptedSecureJsonData: d.Secrets, LastUpdatedMS: millis(d.Updated), ApiVersion: d.APIVersion,
		}
	}
	return out
}

func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func queryToWire(q sdk.Query) *pluginv2.DataQuery {
	return &pluginv2.DataQuery{
		RefId: q.RefID, QueryType: q.Type, Json: q.JSON,
		TimeRange:  &pluginv2.TimeRange{FromEpochMS: millis(q.TimeRange.From), ToEpochMS: millis(q.TimeRange.To)},
		IntervalMS: q.Interval.Milliseconds(), MaxDataPoints: q.MaxDataPoints,
	}
}

func dataFromWire(in *pluginv2.DataResponse) sdk.DataResponse {
	r := sdk.DataResponse{Status: int(in.GetStatus())}
	for _, f := range in.GetFrames() {
		r.Frames = append(r.Frames, ArrowFrame(f))
	}
	if msg := in.GetError(); msg != "" {
		e := &sdk.Error{Status: r.Status, Source: sdk.Source(in.GetErrorSource()), Message: msg}
		e.Status = cmp.Or(e.Status, http.StatusInternalServerError)
		e.Source = cmp.Or(e.Source, sdk.SourcePlugin)
		r.Err = e
	}
	if r.Status == 0 {
		r.Status = http.StatusOK
		if r.Err != nil {
			r.Status = http.StatusInternalServerError
		}
	}
	return r
}

func healthFromWire(in *pluginv2.CheckHealthResponse) *sdk.CheckHealthResult {
	status, known := pluginv2.CheckHealthResponse_HealthStatus_name[int32(in.GetStatus())]
	if !known {
		status = string(sdk.HealthUnknown)
	}
	return &sdk.CheckHealthResult{Status: sdk.HealthStatus(status), Message: in.GetMessage(), Details: in.GetJsonDetails()}
}
