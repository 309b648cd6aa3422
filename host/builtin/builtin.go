// Package builtin is the data source "-- Grafana --", which every host has without a plugin
// and without settings. Frontends use it to get started: it returns random walks.
//
// Data that the host stores, such as dashboards, does not belong here: package api serves it
// by its own routes.
package builtin

import (
	"errors"
	"net/http"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/gate"
	"github.com/slipway-dev/slipway/sdk"
)

// How queries refer to the data source.
const (
	UID  = host.BuiltinUID
	Name = "-- Grafana --"
	Type = "datasource"
)

const randomWalk = "randomWalk" // the only query type that is served here, and the default

// QueryData answers queries.
func QueryData(queries []sdk.Query) sdk.QueryDataResponse {
	responses := sdk.QueryDataResponse{}
	left := gate.MaxWalkPoints
	for _, q := range queries {
		if q.Type != "" && q.Type != randomWalk {
			responses[q.RefID] = failed(refuse(q.Type))
			continue
		}
		w, err := newWalk(q)
		if err == nil && w.points() > left {
			err = sdk.Errorf(http.StatusBadRequest, "the random walks of a request may have at most %d points; decrease seriesCount or maxDataPoints", gate.MaxWalkPoints)
		}
		if err != nil {
			responses[q.RefID] = failed(err)
			continue
		}
		left -= w.points()
		responses[q.RefID] = sdk.DataResponse{Status: http.StatusOK, Frames: w.frames()}
	}
	return responses
}

func failed(err error) sdk.DataResponse {
	status := http.StatusInternalServerError
	if e, ok := errors.AsType[*sdk.Error](err); ok {
		status = e.Status
	}
	return sdk.DataResponse{Status: status, Err: err}
}

// refuse explains why a query type is not served.
func refuse(queryType string) error {
	switch queryType {
	case "list", "read":
		return sdk.Errorf(http.StatusNotImplemented, "queryType %q reads public files of the service, which this host does not have", queryType)
	case "search":
		return sdk.Errorf(http.StatusNotImplemented, `queryType "search" is not served here; use GET /api/search`)
	case "snapshot", "annotations", "timeRegions", "measurements":
		return sdk.Errorf(http.StatusNotImplemented, "queryType %q is evaluated in the browser", queryType)
	}
	return sdk.Errorf(http.StatusBadRequest, "unknown queryType %q; use %s", queryType, randomWalk)
}
