package api

import (
	"fmt"
	"net/http"
	"strconv"

	"github.com/slipway-dev/slipway/host"
)

func (a *API) systemRoutes() []Route {
	return []Route{
		{"GET", "/api/health", Public(), a.health},
		{"GET", "/metrics", Public(), a.serveMetrics}, // numbers only
		{"GET", "/api/user", SignedIn(), a.whoAmI},
		{"GET", "/api/org", Action(host.ActionOrgRead), a.org},
		{"GET", "/avatar/{hash}", Public(), a.avatar},
	}
}

// health tells whether the database answers.
func (a *API) health(w http.ResponseWriter, r *http.Request, _ host.Identity) error {
	type health struct {
		Database string `json:"database"`
		Version  string `json:"version"`
	}
	if err := a.store.Ping(r.Context()); err != nil {
		a.logError(w.(*response), r, err)
		return answer(w, http.StatusServiceUnavailable, health{"failing", a.version})
	}
	return answer(w, http.StatusOK, health{"ok", a.version})
}

// whoAmI tells a caller who the credentials belong to.
func (a *API) whoAmI(w http.ResponseWriter, _ *http.Request, who host.Identity) error {
	return answer(w, http.StatusOK, struct {
		ID    int64     `json:"id"`
		Login string    `json:"login"`
		OrgID int64     `json:"orgId"`
		Role  string    `json:"role"`
		Kind  host.Kind `json:"kind"`
	}{who.ID, who.Login, who.OrgID, who.Role.String(), who.Kind})
}

func (a *API) org(w http.ResponseWriter, r *http.Request, who host.Identity) error {
	name, err := a.store.OrgName(r.Context(), who.OrgID)
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, struct {
		ID   int64  `json:"id"`
		Name string `json:"name"`
	}{who.OrgID, name})
}

// avatar draws the picture that avatarUrl of a service account points to: a disc
// whose colour comes from the hash.
func (a *API) avatar(w http.ResponseWriter, r *http.Request, _ host.Identity) error {
	hash := r.PathValue("hash")
	if len(hash) != avatarLength {
		return host.NotFound("Avatar")
	}
	hue, err := strconv.ParseUint(hash[:4], 16, 16)
	if err != nil {
		return host.NotFound("Avatar")
	}
	w.Header().Set("Content-Type", "image/svg+xml")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "public, max-age=86400")
	_, err = fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 2 2"><circle cx="1" cy="1" r="1" fill="hsl(%d 60%% 45%%)"/></svg>`, hue%360)
	return err
}
