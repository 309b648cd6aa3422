package store_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/host/store"
	"github.com/slipway-dev/slipway/internal/testdb"
)

// explainAll explains the statements that the tests of the package ran. It returns an
// error for each that reads more than it returns, and, if all tests ran, for each
// statement in the source that none of them ran.
func explainAll() (err error) {
	name, remove, err := testdb.Create()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	if testdb.IsWanted() {
		name += "&enable_seqscan=off&enable_mergejoin=off&enable_hashjoin=off" // small tables are read whole otherwise
	}
	ctx := context.Background()
	s, err := store.Open(ctx, store.Options{Database: name})
	if err != nil {
		return err
	}
	defer s.Close()
	if err := seed(ctx, s, 1000); err != nil {
		return err
	}
	if err := seedRest(ctx, s, 2000); err != nil {
		return err
	}
	isSQLite := !store.IsShared(name)
	var found []error
	for _, query := range slices.Sorted(maps.Keys(recorded.statements)) {
		text := strings.Join(strings.Fields(query), " ")
		if !regexp.MustCompile(`^(SELECT|INSERT|UPDATE|DELETE) `).MatchString(text) || strings.Contains(text, "pg_advisory") {
			continue
		}
		if bareLimit.MatchString(text) {
			found = append(found, fmt.Errorf("%s\n\tmust cast the parameter of LIMIT: otherwise SQLite plans the statement again whenever it runs", text))
		}
		explain := explainPostgres
		if isSQLite {
			explain = explainSQLite
		}
		plan, err := explain(ctx, s, query, recorded.statements[query])
		if err != nil {
			found = append(found, fmt.Errorf("explain %s: %w", text, err))
		}
		for _, step := range plan {
			isOfAllFolders := strings.Contains(text, "FROM dashboards d") && strings.HasPrefix(step, "SEARCH folders ")
			if reasonOf(text) == "" || isOfAllFolders {
				found = append(found, fmt.Errorf("%s\n\twith %v reads too much: %s", text, recorded.statements[query], step))
			}
		}
	}
	if flag.Lookup("test.run").Value.String() == "" && flag.Lookup("test.bench").Value.String() == "" {
		missing, err := notRun()
		found = append(found, missing, err)
	}
	return errors.Join(found...)
}

var bareLimit = regexp.MustCompile(`LIMIT \$`)

// reasonOf returns why a statement may read a whole list, or "".
func reasonOf(statement string) string {
	for part, reason := range map[string]string{
		"FROM database_identity":                                   "the table has one row",
		"UPDATE database_identity":                                 "the table has one row",
		"FROM schema_migrations":                                   "the table has one row per migration",
		"FROM playlists WHERE org_id = $1 ORDER BY name":           "a page of the first playlists, in the order of an index that contains the columns",
		"FROM playlists WHERE org_id = $1 AND name_folded LIKE":    "a page of many matching playlists, in the order of an index that contains the columns",
		"FROM service_accounts a WHERE a.org_id = $1 AND a.plugin": "an index contains only the accounts of plugins",
		"FROM playlist_trigrams WHERE trigram = $1 LIMIT":          "it counts no further than the limit",
		"FROM service_accounts WHERE org_id = $2 AND plugin_id IS": "an index contains only the accounts of plugins",
		"FROM (SELECT d.id FROM dashboards d WHERE d.org_id":       "a page of all dashboards, in the order of an index that contains the title",
		"FROM folders WHERE org_id = $1 ORDER BY title LIMIT":      "a page of all folders, in the order of an index",
		"FROM service_accounts a WHERE a.org_id = $1 AND (NOT":     "a page of all accounts and their total number, from an index that contains the columns",
		"FROM (SELECT id FROM data_sources WHERE org_id = $1":      "a page of all data sources, in the order of an index",
		"DELETE FROM sessions WHERE expires_at":                    "at most 50 rows for each user, once in hours",
		"WHERE token_count <> (SELECT":                             "a check at the end of the tests",
		"octet_length(settings)":                                   "a sum over at most 5,000 rows for each write, which does not read the settings",
		"FROM tokens WHERE org_id = $1 AND account_id IS NULL":     "the answer is the list of all API keys, or their number",
		"UPDATE data_sources SET is_default = FALSE WHERE org_id":  "an index contains only the default data source",
		"FROM users WHERE org_id = $1 AND ($":                      "a page of all users and their total number, in the order of an index",
		"FROM folders WHERE org_id = $1 AND REPLACE(":              "a page of many matching folders, in the order of an index",
		"SELECT COUNT(*) FROM data_sources WHERE org_id = $1":      "a quota, which is counted at most once a minute",
		"SELECT COUNT(*) FROM dashboards WHERE org_id = $1":        "a quota, which is counted at most once a minute",
		"SELECT COUNT(*) FROM folders WHERE org_id = $1":           "a quota, which is counted at most once a minute",
		"SELECT COUNT(*) FROM playlists WHERE org_id = $1":         "a quota, which is counted at most once a minute",
		"SELECT COUNT(*) FROM service_accounts WHERE org_id = $1":  "a quota, which is counted at most once a minute",
	} {
		if strings.Contains(statement, part) {
			return reason
		}
	}
	return ""
}

// byOrganization matches a search that selects only by organization: most databases have
// one, so it reads the whole table.
var byOrganization = regexp.MustCompile(`^\(+(org_id=\?|\S*org_id = '?1'?(::bigint)?)\)+$`)

// explainSQLite returns the steps of a plan that read a whole table or sort.
func explainSQLite(ctx context.Context, s *store.Store, query string, args []any) (steps []string, err error) {
	plan, err := s.Explain(ctx, "EXPLAIN QUERY PLAN "+query, 4, args...)
	for _, step := range plan {
		constraint := step[max(strings.LastIndex(step, "("), 0):]
		isScan := strings.HasPrefix(step, "SCAN ") && !strings.HasPrefix(step, "SCAN p") && step != "SCAN CONSTANT ROW"
		if isScan || strings.HasPrefix(step, "SEARCH") && byOrganization.MatchString(constraint) {
			steps = append(steps, step)
		}
	}
	return steps, err
}

// planNode is a part of what EXPLAIN (FORMAT JSON) returns.
type planNode struct {
	Type      string     `json:"Node Type"`
	Relation  string     `json:"Relation Name"`
	Index     string     `json:"Index Name"`
	Condition string     `json:"Index Cond"`
	Plans     []planNode `json:"Plans"`
}

// explainPostgres returns the nodes of a plan that read a whole table.
func explainPostgres(ctx context.Context, s *store.Store, query string, args []any) (steps []string, err error) {
	plan, err := s.Explain(ctx, "EXPLAIN (FORMAT JSON) "+query, 1, args...)
	if err != nil {
		return nil, err
	}
	var roots []struct{ Plan planNode }
	if err := json.Unmarshal([]byte(strings.Join(plan, "")), &roots); err != nil {
		return nil, err
	}
	var walk func(n planNode)
	walk = func(n planNode) {
		isIndex := strings.HasPrefix(n.Type, "Index") || n.Type == "Bitmap Index Scan"
		if n.Type == "Seq Scan" || isIndex && (n.Condition == "" || byOrganization.MatchString(n.Condition)) {
			steps = append(steps, fmt.Sprintln(n.Type, n.Relation, n.Index, n.Condition))
		}
		for _, child := range n.Plans {
			walk(child)
		}
	}
	for _, root := range roots {
		walk(root.Plan)
	}
	return steps, nil
}

// notRun returns an error for each statement in the source that no test ran.
func notRun() (missing, err error) {
	all := ""
	for query := range recorded.statements {
		all += strings.Join(strings.Fields(query), " ") + "\n"
	}
	files, err := filepath.Glob("*.go")
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		fset := gotoken.NewFileSet()
		file, parseErr := parser.ParseFile(fset, name, nil, 0)
		err = cmp.Or(err, parseErr)
		ast.Inspect(file, func(n ast.Node) bool {
			literal, ok := n.(*ast.BasicLit)
			if !ok || literal.Kind != gotoken.STRING {
				return true
			}
			text, _ := strconv.Unquote(literal.Value)
			text = strings.Join(strings.Fields(text), " ")
			if regexp.MustCompile(`^(SELECT|INSERT|UPDATE|DELETE) `).MatchString(text) && !strings.Contains(all, text) &&
				(testdb.IsWanted() || !strings.Contains(text, "pg_advisory")) {
				missing = errors.Join(missing, fmt.Errorf("%s: no test runs %s", fset.Position(literal.Pos()), text))
			}
			return true
		})
	}
	return missing, err
}

// seedRest adds n rows to each other table, so that PostgreSQL prefers the right index.
func seedRest(ctx context.Context, s *store.Store, n int) error {
	for _, insert := range []string{
		"INSERT INTO folders (org_id, uid, title) SELECT 1, 'f' || CAST(i AS TEXT), 'f' || CAST(i AS TEXT) FROM n",
		"INSERT INTO users (org_id, login, role, password_hash) SELECT 1, 'u' || CAST(i AS TEXT), 'Viewer', '' FROM n",
		`INSERT INTO sessions (user_id, digest, agent, created_at, seen_at, expires_at)
			SELECT id, 'd' || CAST(i AS TEXT), '', 0, 0, 0 FROM n JOIN users ON login = 'u' || CAST(i AS TEXT)`,
		`INSERT INTO service_accounts (org_id, name, name_folded, login, role, plugin_id)
			SELECT 1, 'a' || CAST(i AS TEXT), 'a' || CAST(i AS TEXT), 'a' || CAST(i AS TEXT), 'Viewer', 'p' || CAST(i AS TEXT) FROM n`,
		"INSERT INTO account_grants (account_id, action, scope) SELECT id, 'x', '' FROM n JOIN service_accounts ON login = 'a' || CAST(i AS TEXT)",
		`INSERT INTO tokens (org_id, account_id, name, digest, created_at)
			SELECT 1, id, 't', 'a' || CAST(i AS TEXT), 0 FROM n JOIN service_accounts ON login = 'a' || CAST(i AS TEXT)`,
		`INSERT INTO playlist_items (playlist_id, position, type, value, title)
			SELECT id, 1, 'dashboard_by_tag', 'x' || CAST(i AS TEXT), '' FROM n JOIN playlists ON uid = 'p' || CAST(i AS TEXT)`,
		`INSERT INTO data_sources (org_id, uid, name, type, url, login, database_name, basic_auth, basic_auth_user, is_default, settings, updated_at)
			SELECT 1, 's' || CAST(i AS TEXT), 's' || CAST(i AS TEXT), 't' || CAST(i AS TEXT), '', '', '', FALSE, '', FALSE, '{}', 0 FROM n`,
		"INSERT INTO secrets (org_id, owner, name, sealed) SELECT 1, 'plugin:' || CAST(i AS TEXT), 'k', '' FROM n",
		"INSERT INTO plugin_settings (org_id, plugin_id, is_enabled, is_pinned, settings, updated_at) SELECT 1, CAST(i AS TEXT), TRUE, TRUE, '{}', 0 FROM n",
		"INSERT INTO orgs (name) SELECT CAST(i AS TEXT) FROM n",
	} {
		if err := s.Exec(ctx, numbers+insert, n); err != nil {
			return fmt.Errorf("%s: %w", insert, err)
		}
	}
	if testdb.IsWanted() {
		return s.Exec(ctx, "VACUUM ANALYZE")
	}
	return nil
}
