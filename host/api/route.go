package api

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/host"
)

// Handler answers a request of who, or returns an error that becomes the answer.
// who is the zero Identity on a public route.
type Handler func(w http.ResponseWriter, r *http.Request, who host.Identity) error

// Route is one line of the table.
type Route struct {
	Method     string // "" answers every method
	Pattern    string // a path as http.ServeMux understands it; also served with a slash behind
	Permission Permission
	Handle     Handler
	Doc        Doc
}

// Doc is what /api/openapi.json says of a route. Bodies and answers are zero values
// of their types.
type Doc struct {
	Summary string
	Query   []string // names of parameters and their types: "limit int"; a text without one
	Body    any      // nil if none is read
	Answer  any      // nil if it is not JSON or is the plugin's own
	Status  int      // of success; 0 is 200
	Also    int      // another status with the same answer; 0 if there is none
	Media   string   // type of an answer that is not JSON
}

// Permission says who may use a route. The zero value is no permission at all and
// no table with it is served.
type Permission struct {
	kind    permissionKind
	actions []string
	scope   string
}

type permissionKind int

const (
	undecided permissionKind = iota
	public
	signedIn
	byAction
)

// Public lets everybody in, without looking at credentials.
func Public() Permission { return Permission{kind: public} }

// SignedIn lets everybody in who has valid credentials.
func SignedIn() Permission { return Permission{kind: signedIn} }

// Action lets in who holds one of the actions (host.Identity.Allows).
func Action(anyOf ...string) Permission { return Permission{kind: byAction, actions: anyOf} }

// On narrows an Action to a scope, in which {name} stands for a value of the path:
// "playlists:uid:{uid}". Without it, holding the action on anything is enough.
func (p Permission) On(scope string) Permission {
	p.scope = scope
	return p
}

// check refuses who may not use a route with this permission.
func (p Permission) check(r *http.Request, who host.Identity) error {
	if p.kind == public || p.kind == signedIn {
		return nil
	}
	scope := p.scope
	if before, rest, ok := strings.Cut(scope, "{"); ok {
		name, after, _ := strings.Cut(rest, "}")
		scope = before + r.PathValue(name) + after
	}
	for _, action := range p.actions {
		if who.Allows(action, scope) {
			return nil
		}
	}
	return host.Forbidden("Permission denied")
}

// newMux serves the table. Each path is registered once, for all its methods, so
// that a wrong method and an unknown path are answered in JSON too.
func (a *API) newMux(routes []Route) (*http.ServeMux, error) {
	paths := map[string]map[string]Route{}
	for _, route := range routes {
		if route.Permission.kind == undecided || route.Permission.kind == byAction && len(route.Permission.actions) == 0 {
			return nil, fmt.Errorf("route %s %s: its permission is not decided", route.Method, route.Pattern)
		}
		if paths[route.Pattern] == nil {
			paths[route.Pattern] = map[string]Route{}
		}
		if _, ok := paths[route.Pattern][route.Method]; ok {
			return nil, fmt.Errorf("route %s %s: twice in the table", route.Method, route.Pattern)
		}
		paths[route.Pattern][route.Method] = route
	}
	mux := http.NewServeMux()
	for pattern, methods := range paths {
		mux.Handle(pattern, a.dispatch(methods))
		if !strings.HasSuffix(pattern, "/") && !strings.HasSuffix(pattern, "...}") {
			mux.Handle(pattern+"/{$}", a.dispatch(methods))
		}
	}
	if paths["/"] == nil {
		mux.Handle("/", a.serve(func(http.ResponseWriter, *http.Request) error { return host.NotFound("Path") }))
	}
	return mux, nil
}

// dispatch chooses by method, then lets in who may.
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
				Message: fmt.Sprintf("the method %s is not allowed here; use %s", r.Method, allow)}
		}
		var who host.Identity
		if route.Permission.kind != public {
			var err error
			if who, err = a.authenticate(w, r); err != nil {
				return err
			}
			who = a.withRoles(who)
			w.(*response).who = who
		}
		if err := route.Permission.check(r, who); err != nil {
			return err
		}
		return route.Handle(w, r, who)
	})
}

// serve turns a returned error into the answer. Its writer is always the *response
// of ServeHTTP.
func (a *API) serve(handle func(http.ResponseWriter, *http.Request) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := handle(w, r); err != nil {
			a.fail(w.(*response), r, err)
		}
	})
}
