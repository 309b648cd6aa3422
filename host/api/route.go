package api

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/host"
)

// Route is one entry of the route table.
type Route struct {
	Method     string // "" matches every method
	Pattern    string // a path as http.ServeMux reads it; also served with a trailing slash, or without /{path...}
	Permission permission
	Handler    handler
	Doc        doc
}

// doc describes a route in /api/openapi.json, beyond what the types of its handler say.
type doc struct {
	Summary      string
	Status       int    // of a successful response; 0 means 200
	Also         int    // another status with the same response type; 0 means none
	Media        string // media type of a response that is not JSON
	IsDeprecated bool   // in favor of service accounts
}

// permission determines who may use a route. New rejects a zero permission.
type permission struct {
	kind    permissionKind
	actions []string
	scope   string
	parents func(r *http.Request, who host.Identity) (scopes []string, err error) // nil if the scope has none
}

type permissionKind int

const (
	undecided permissionKind = iota
	everyone
	users
	byAction
)

// public allows everyone and does not read credentials.
func public() permission { return permission{kind: everyone} }

// signedIn allows everyone with valid credentials.
func signedIn() permission { return permission{kind: users} }

// action allows identities that hold one of the actions (host.Identity.Allows).
func action(anyOf ...string) permission { return permission{kind: byAction, actions: anyOf} }

// on restricts an action to a scope in which {name} stands for a path parameter, such
// as "playlists:uid:{uid}". Without on, it is enough to hold the action on anything.
func (p permission) on(scope string) permission {
	p.scope = scope
	return p
}

// within adds the scopes from which the object of the route inherits permissions. They are
// only read for an identity that holds the action on something else.
func (p permission) within(parents func(r *http.Request, who host.Identity) ([]string, error)) permission {
	p.parents = parents
	return p
}

// check returns an error (host.ErrForbidden) if the identity may not use the route.
func (p permission) check(r *http.Request, who host.Identity) error {
	if p.kind == everyone || p.kind == users {
		return nil
	}
	scope := p.scope
	if before, rest, ok := strings.Cut(scope, "{"); ok {
		name, after, _ := strings.Cut(rest, "}")
		scope = before + r.PathValue(name) + after
	}
	if allowsAny(who, p.actions, scope) {
		return nil
	}
	if p.parents != nil && allowsAny(who, p.actions) {
		parents, err := p.parents(r, who)
		if err != nil || len(parents) > 0 && allowsAny(who, p.actions, parents...) {
			return err
		}
	}
	return host.Forbidden("Permission denied")
}

func allowsAny(who host.Identity, actions []string, scopes ...string) bool {
	return slices.ContainsFunc(actions, func(action string) bool { return who.Allows(action, scopes...) })
}

// hidden returns a permission error in place of "not found", unless the caller may perform
// one of the actions on all objects: others must not learn which of them exist.
func hidden(err error, who host.Identity, actions []string, all ...string) error {
	if errors.Is(err, host.ErrNotFound) && !allowsAny(who, actions, all...) {
		return host.Forbidden("Permission denied")
	}
	return err
}

// newMux returns a mux for the table. It registers each path once for all methods, so
// that a wrong method and an unknown path get a JSON response too, outside /api/ a page.
func (a *API) newMux(routes []Route) (*http.ServeMux, error) {
	paths := map[string]map[string]Route{}
	for _, route := range routes {
		if route.Permission.kind == undecided || route.Permission.kind == byAction && len(route.Permission.actions) == 0 {
			return nil, fmt.Errorf("route %s %s: missing permission", route.Method, route.Pattern)
		}
		for _, in := range route.Handler.inputs {
			if in.from == "path" && !strings.Contains(route.Pattern, "{"+in.name+"}") {
				return nil, fmt.Errorf("route %s %s: the path has no parameter %q", route.Method, route.Pattern, in.name)
			}
		}
		if paths[route.Pattern] == nil {
			paths[route.Pattern] = map[string]Route{}
		}
		if _, ok := paths[route.Pattern][route.Method]; ok {
			return nil, fmt.Errorf("route %s %s: duplicate route", route.Method, route.Pattern)
		}
		paths[route.Pattern][route.Method] = route
	}
	mux, second := http.NewServeMux(), http.NewServeMux()
	register := func(pattern string, handler http.Handler) {
		if isAmbiguous(pattern) {
			second.Handle(pattern, handler)
		} else {
			mux.Handle(pattern, handler)
		}
	}
	unknown := a.serve(func(_ http.ResponseWriter, r *http.Request) error { return missing(r.URL.Path) })
	for pattern, methods := range paths {
		register(pattern, a.dispatch(methods))
		if strings.HasSuffix(pattern, "...}") { // the mux would redirect the path without a slash, without credentials
			register(path.Dir(pattern), a.dispatch(methods))
		} else if !strings.HasSuffix(pattern, "/") {
			register(pattern+"/{$}", a.dispatch(methods))
		}
	}
	second.Handle("/", unknown)
	mux.Handle("/api/", second)
	if a.pages != nil {
		unknown = a.serve(func(w http.ResponseWriter, r *http.Request) error {
			a.pages.ServeHTTP(w, r)
			return nil
		})
	}
	mux.Handle("/", unknown)
	return mux, nil
}

// isAmbiguous reports whether the mux rejects a pattern next to others, since neither is more
// specific: /api/datasources/{id}/resources/{path...} and /api/datasources/uid/{uid} both match
// uid/resources. The others take precedence: a second mux serves what they do not match.
func isAmbiguous(pattern string) bool {
	return strings.HasPrefix(pattern, migratePath) || strings.HasPrefix(pattern, "/api/datasources/{id}/resources")
}

// dispatch selects the route by method, authenticates and checks the permission.
func (a *API) dispatch(methods map[string]Route) http.Handler {
	allowed := slices.Sorted(maps.Keys(methods))
	if _, ok := methods[http.MethodGet]; ok {
		allowed = append(allowed, http.MethodHead)
		slices.Sort(allowed)
	}
	allow := strings.Join(allowed, ", ")
	return a.serve(func(w http.ResponseWriter, r *http.Request) error {
		route, ok := methods[r.Method]
		if !ok && r.Method == http.MethodHead {
			route, ok = methods[http.MethodGet]
		}
		if !ok {
			route, ok = methods[""]
		}
		if !ok {
			w.Header().Set("Allow", allow)
			return &host.Error{Category: errMethodNotAllowed,
				Message: fmt.Sprintf("method %s is not allowed; use %s", r.Method, allow)}
		}
		var who host.Identity
		if route.Permission.kind != everyone {
			var err error
			if who, err = a.authenticate(r, w.(*response).requestID()); err != nil {
				return err
			}
			who = a.withRoles(who)
			w.(*response).who = who
		}
		if err := route.Permission.check(r, who); err != nil {
			return err
		}
		if route.Doc.IsDeprecated { // RFC 9745; since version 9.1 of the service, August 2022
			w.Header().Set("Deprecation", "@1660608000")
			w.Header().Set("Link", `</api/serviceaccounts>; rel="successor-version"`)
		}
		return route.Handler.serve(w, r, who, max(route.Doc.Status, http.StatusOK))
	})
}

// serve turns a returned error into a response. Its writer is the *response from ServeHTTP.
func (a *API) serve(handle func(http.ResponseWriter, *http.Request) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := handle(w, r); err != nil {
			a.fail(w.(*response), r, err)
		}
	})
}
