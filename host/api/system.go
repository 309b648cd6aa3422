package api

import (
	"fmt"
	"net/http"
	"strconv"

	"github.com/slipway-dev/slipway/host"
)

func (a *API) systemRoutes() []Route {
	return []Route{
		{"GET", "/api/health", Public(), a.health,
			Doc{Summary: "Tell whether the host and its database answer", Answer: health{}}},
		{"GET", "/metrics", Public(), a.serveMetrics,
			Doc{Summary: "Metrics for Prometheus", Media: "text/plain"}}, // numbers only
		{"GET", "/api/openapi.json", Public(), a.serveOpenAPI,
			Doc{Summary: "Describe this API", Answer: map[string]any{}}},
		{"GET", "/api/user", SignedIn(), a.whoAmI,
			Doc{Summary: "Tell whose the credentials are", Answer: caller{}}},
		{"GET", "/api/org", Action(host.ActionOrgRead), a.org,
			Doc{Summary: "Read the organisation", Answer: organisation{}}},
		{"GET", "/avatar/{hash}", Public(), a.avatar,
			Doc{Summary: "Draw the picture of a service account", Media: "image/svg+xml"}},
	}
}

type health struct {
	Database string `json:"database"`
	Version  string `json:"version"`
}

// health tells whether the database answers.
func (a *API) health(w http.ResponseWriter, r *http.Request, _ host.Identity) error {
	if err := a.store.Ping(r.Context()); err != nil {
		a.logError(w.(*response), r, err)
		return answer(w, http.StatusServiceUnavailable, health{"failing", a.version})
	}
	return answer(w, http.StatusOK, health{"ok", a.version})
}

// caller is the one who asks.
type caller struct {
	ID    int64     `json:"id"`
	Login string    `json:"login"`
	OrgID int64     `json:"orgId"`
	Role  string    `json:"role"`
	Kind  host.Kind `json:"kind"`
}

// whoAmI tells a caller who the credentials belong to.
func (a *API) whoAmI(w http.ResponseWriter, _ *http.Request, who host.Identity) error {
	return answer(w, http.StatusOK, caller{who.ID, who.Login, who.OrgID, who.Role.String(), who.Kind})
}

type organisation struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

func (a *API) org(w http.ResponseWriter, r *http.Request, who host.Identity) error {
	name, err := a.store.OrgName(r.Context(), who.OrgID)
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, organisation{who.OrgID, name})
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
