package api

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/access"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/builtin"
	"github.com/slipway-dev/slipway/loader"
)

// dataSourceRef refers to a data source by one of its fields.
type dataSourceRef struct {
	UID  string // or the id of the plugin, or the name
	Type string // the id of the plugin
	ID   int64
}

// String returns the field that is set.
func (r dataSourceRef) String() string {
	if r.ID != 0 {
		return strconv.FormatInt(r.ID, 10)
	}
	return cmp.Or(r.UID, r.Type)
}

// Expressions refer to a data source that does not exist, in old dashboards by its id or
// its name.
const (
	expressionID   = -100
	expressionName = "Expression"
)

// builtinID is the id of the data source that every host has.
const builtinID = -1

// refOf returns the data source that a query refers to with its fields datasource and
// datasourceId: the uid is enough, then the id, then the type.
func refOf(field string, source, sourceID json.RawMessage) (ref dataSourceRef, err error) {
	var parts struct {
		UID  string          `json:"uid"`
		Type string          `json:"type"`
		ID   json.RawMessage `json:"id"`
	}
	isText := bytes.HasPrefix(source, []byte(`"`))
	switch {
	case isText:
		err = json.Unmarshal(source, &parts.UID)
	case bytes.HasPrefix(source, []byte("{")):
		err = json.Unmarshal(source, &parts)
	case string(source) != "null":
		parts.ID = source
	}
	if err != nil {
		return ref, host.Invalid(field+".datasource", "%s", bodyError(source, err))
	}
	ref.UID, ref.Type = parts.UID, parts.Type
	id, at := string(parts.ID), ".datasource"
	if id == "" || id == "null" {
		id, at = string(sourceID), ".datasourceId"
	}
	if text := strings.Trim(id, `"`); parts.UID == "" && text != "" && text != "null" {
		if ref.ID, err = strconv.ParseInt(text, 10, 64); err != nil {
			return ref, host.Invalid(field+at, "must be the id of a data source")
		}
	}
	switch {
	case ref.Type == host.ExpressionUID, ref.UID == host.ExpressionUID, ref.UID == host.OldExpressionUID, ref.ID == expressionID, isText && ref.UID == expressionName:
		return dataSourceRef{UID: host.ExpressionUID}, nil
	case ref.UID == builtin.UID, ref.UID == builtin.Name, ref.ID == builtinID, ref.UID == "" && ref.ID == 0 && (ref.Type == builtin.Type || ref.Type == builtin.UID):
		return dataSourceRef{UID: builtin.UID}, nil
	case strings.HasPrefix(ref.UID, "-- "):
		return ref, host.Invalid(field+".datasource", "%q exists only in browsers; send the queries that it stands for, each with its own data source", ref.UID)
	case ref.UID != "":
		return dataSourceRef{UID: ref.UID}, nil
	case ref.ID != 0:
		return dataSourceRef{ID: ref.ID}, nil
	case ref.Type != "":
		return dataSourceRef{Type: ref.Type}, nil
	}
	return ref, host.Invalid(field+".datasource", "is required and must contain the uid, the type or the id of the data source")
}

// dataSourceFor returns the data source that a query refers to, with its secrets, and its plugin. The
// id of a plugin without a stored data source refers to one without settings.
func (a *API) dataSourceFor(ctx context.Context, who host.Identity, ref dataSourceRef) (*loader.Plugin, host.DataSource, error) {
	d, err := a.referredDataSource(ctx, who, ref)
	if errors.Is(err, host.ErrNotFound) {
		message := fmt.Sprintf("data source %q not found", ref)
		if strings.HasPrefix(ref.UID, "$") {
			message += ": variables exist only in browsers; send the uid that it stands for"
		}
		err = &host.Error{Category: host.ErrNotFound, Message: message}
	}
	if err != nil {
		return nil, d, hidden(err, who, []string{access.DatasourcesQuery}, access.DatasourceScope+"*")
	}
	if !who.Allows(access.DatasourcesQuery, access.DatasourceScope+d.UID) {
		return nil, d, host.Forbidden("Permission denied")
	}
	if d.ID != 0 { // otherwise it is implicit
		if d, err = a.Store.Unlock(ctx, d.OrgID, d.UID); err != nil {
			return nil, d, err
		}
	}
	p, err := a.pluginOf(d)
	return p, d, err
}

// referredDataSource returns the data source that a query refers to, without its secrets.
func (a *API) referredDataSource(ctx context.Context, who host.Identity, ref dataSourceRef) (host.DataSource, error) {
	switch {
	case ref.ID != 0:
		return a.Store.DataSourceByID(ctx, who.OrgID, ref.ID)
	case !isPlain(ref.UID + ref.Type):
		return host.DataSource{}, host.NotFound("Data source")
	case ref.Type != "":
		return a.dataSourceOfType(ctx, who, ref.Type)
	}
	d, err := a.Store.DataSource(ctx, who.OrgID, ref.UID)
	if errors.Is(err, host.ErrNotFound) {
		d, err = a.dataSourceOfType(ctx, who, ref.UID)
	}
	if errors.Is(err, host.ErrNotFound) {
		d, err = a.Store.DataSourceByName(ctx, who.OrgID, ref.UID)
	}
	return d, err
}

func (a *API) dataSourceOfType(ctx context.Context, who host.Identity, pluginID string) (host.DataSource, error) {
	p, ok := a.Plugins.Plugin(pluginID)
	if !ok || p.Bundle().Metadata.Type != bundle.TypeDatasource {
		return host.DataSource{}, host.NotFound("Data source")
	}
	d, err := a.Store.DataSourceOfType(ctx, who.OrgID, pluginID)
	if errors.Is(err, host.ErrNotFound) {
		return implicitDataSource(p, who), nil
	}
	return d, err
}

func (a *API) pluginOf(d host.DataSource) (*loader.Plugin, error) {
	p, ok := a.Plugins.Plugin(d.Type)
	if !ok || p.Bundle().Metadata.Type != bundle.TypeDatasource {
		return nil, &host.Error{Category: host.ErrNotFound, Message: "the data source plugin " + d.Type + " is not mounted"}
	}
	return p, nil
}

// implicitDataSource is what the id of a plugin refers to if no data source of it is stored.
func implicitDataSource(p *loader.Plugin, who host.Identity) host.DataSource {
	m := p.Bundle().Metadata
	return host.DataSource{OrgID: who.OrgID, UID: m.ID, Name: m.Name, Type: m.ID, JSON: json.RawMessage("{}")}
}
