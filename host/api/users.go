package api

import (
	"context"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/sdk/hostapi"
)

func (a *API) whoAmI(ctx context.Context, who host.Identity, _ none) (hostapi.User, error) {
	name := who.Login
	if who.Kind == host.KindServiceAccount {
		account, err := a.Store.ServiceAccount(ctx, who.OrgID, who.ID)
		if err != nil {
			return hostapi.User{}, err
		}
		name = account.Name
	}
	return hostapi.User{ID: who.ID, Login: who.Login, Name: name, AvatarURL: avatarURL(who.Login), OrgID: who.OrgID, Role: who.Role.String(),
		Kind: string(who.Kind), IsGrafanaAdmin: who.IsServiceAdmin, AuthLabels: []string{}}, nil
}

func (a *API) org(ctx context.Context, who host.Identity, _ none) (hostapi.Org, error) {
	name, err := a.Store.OrgName(ctx, who.OrgID)
	return hostapi.Org{ID: who.OrgID, Name: name}, err
}

type team struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

// teamPage is a page of teams, which this host does not have.
type teamPage struct {
	TotalCount int64  `json:"totalCount"`
	Teams      []team `json:"teams"`
	Page       int64  `json:"page"`
	PerPage    int64  `json:"perPage"`
}

type userQuery struct {
	Query string `query:"query"`
	perPageQuery
}

func (a *API) teams(_ context.Context, _ host.Identity, in userQuery) (teamPage, error) {
	return teamPage{Teams: []team{}, Page: max(in.Page, 1), PerPage: in.page().Length()}, nil
}

type userHit struct {
	ID         int64    `json:"id"`
	Login      string   `json:"login"`
	Name       string   `json:"name"`
	Email      string   `json:"email"`
	AvatarURL  string   `json:"avatarUrl"`
	IsAdmin    bool     `json:"isAdmin"` // administers the host
	IsDisabled bool     `json:"isDisabled"`
	AuthLabels []string `json:"authLabels"`
}

func hitOf(u host.User) userHit {
	return userHit{ID: u.ID, Login: u.Login, Name: u.Login, AvatarURL: avatarURL(u.Login), IsAdmin: u.IsServiceAdmin,
		IsDisabled: u.IsDisabled, AuthLabels: []string{}}
}

func (a *API) users(ctx context.Context, who host.Identity, in userQuery) ([]userHit, error) {
	found, err := a.Store.Users(ctx, who.OrgID, in.Query, in.page())
	return mapped(found, hitOf), err
}

func (a *API) teamsOfUser(ctx context.Context, who host.Identity, in idPath) ([]team, error) {
	_, err := a.Store.UserByID(ctx, who.OrgID, in.ID)
	return []team{}, err
}

type orgUser struct {
	UserID     int64    `json:"userId"`
	OrgID      int64    `json:"orgId"`
	Login      string   `json:"login"`
	Name       string   `json:"name"`
	Email      string   `json:"email"`
	AvatarURL  string   `json:"avatarUrl"`
	Role       string   `json:"role"`
	IsDisabled bool     `json:"isDisabled"`
	AuthLabels []string `json:"authLabels"`
}

func (a *API) orgUsers(ctx context.Context, who host.Identity, in struct {
	Query string `query:"query"`
	pageQuery
}) ([]orgUser, error) {
	found, err := a.Store.Users(ctx, who.OrgID, in.Query, in.page())
	return mapped(found, func(u host.User) orgUser {
		return orgUser{UserID: u.ID, OrgID: u.OrgID, Login: u.Login, Name: u.Login, AvatarURL: avatarURL(u.Login), Role: u.Role.String(),
			IsDisabled: u.IsDisabled, AuthLabels: []string{}}
	}), err
}
