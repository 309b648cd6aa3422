package build

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/testkit"
)

const testHash = "0123456789abcdef0123456789abcdef01234567"

func TestCISystems(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		env  string // separated by spaces
		want *GitInfo
	}{
		"none": {"BUILD_NUMBER=7 CI=true", nil},
		"GitHub Actions, branch": {
			"GITHUB_RUN_NUMBER=7 GITHUB_REF=refs/heads/pull/8/x GITHUB_HEAD_REF= GITHUB_SERVER_URL=https://github.com GITHUB_REPOSITORY=acme/x GITHUB_SHA=" + testHash,
			&GitInfo{Number: 7, Branch: "pull/8/x", Repo: "https://github.com/acme/x", Hash: testHash},
		},
		"GitHub Actions, pull request": {
			"GITHUB_RUN_NUMBER=7 GITHUB_REF=refs/pull/42/merge GITHUB_HEAD_REF=topic",
			&GitInfo{Number: 7, PR: 42, Branch: "topic"},
		},
		"GitHub Actions, tag": {"GITHUB_RUN_NUMBER=7 GITHUB_REF=refs/tags/v1.0.0", &GitInfo{Number: 7}},
		"GitLab": {
			"GITLAB_CI=true CI_PIPELINE_IID=7 CI_MERGE_REQUEST_IID=42 CI_MERGE_REQUEST_SOURCE_BRANCH_NAME=topic CI_PROJECT_URL=https://gitlab.com/acme/x CI_COMMIT_SHA=" + testHash,
			&GitInfo{Number: 7, PR: 42, Branch: "topic", Repo: "https://gitlab.com/acme/x", Hash: testHash},
		},
		"GitLab, branch": {"GITLAB_CI=true CI_PIPELINE_IID=7 CI_COMMIT_BRANCH=main", &GitInfo{Number: 7, Branch: "main"}},
		"Jenkins": {
			"JENKINS_URL=https://ci BUILD_NUMBER=7 CHANGE_ID=42 CHANGE_BRANCH=topic BRANCH_NAME=PR-42 GIT_URL=https://u:secret@host/acme/x.git GIT_COMMIT=" + testHash,
			&GitInfo{Number: 7, PR: 42, Branch: "topic", Repo: "https://host/acme/x.git", Hash: testHash},
		},
		"Jenkins, one branch": {"JENKINS_URL=https://ci BUILD_NUMBER=7 GIT_BRANCH=origin/main", &GitInfo{Number: 7, Branch: "main"}},
		"CircleCI": {
			"CIRCLECI=true CIRCLE_BUILD_NUM=7 CIRCLE_PULL_REQUEST=https://github.com/acme/x/pull/42 CIRCLE_BRANCH=topic CIRCLE_REPOSITORY_URL=git@github.com:acme/x.git CIRCLE_SHA1=" + testHash,
			&GitInfo{Number: 7, PR: 42, Branch: "topic", Repo: "https://github.com/acme/x.git", Hash: testHash},
		},
		"Drone": {
			"DRONE=true DRONE_BUILD_NUMBER=7 DRONE_PULL_REQUEST=42 DRONE_SOURCE_BRANCH=topic DRONE_BRANCH=main DRONE_REPO_LINK=https://host/acme/x DRONE_COMMIT_SHA=" + testHash,
			&GitInfo{Number: 7, PR: 42, Branch: "topic", Repo: "https://host/acme/x", Hash: testHash},
		},
		"Buildkite": {
			"BUILDKITE=true BUILDKITE_BUILD_NUMBER=7 BUILDKITE_PULL_REQUEST=false BUILDKITE_BRANCH=main BUILDKITE_REPO=git@github.com:acme/x.git BUILDKITE_COMMIT=HEAD",
			&GitInfo{Number: 7, Branch: "main", Repo: "https://github.com/acme/x.git"},
		},
	} {
		p := &Plan{options: Options{Environ: strings.Fields(c.env)}}
		if diff := cmp.Diff(c.want, ciInfo(p.env)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// commit makes a git repository of a directory, with one commit of 2026-03-04.
func commit(t *testing.T, dir string) {
	t.Helper()
	testkit.Git(t, dir, "init", "-q", "-b", "trunk")
	testkit.Git(t, dir, "add", ".")
	testkit.Git(t, dir, "commit", "-q", "-m", "one")
}

// The versions in plugin.json, package.json and the tag must agree.
func TestVersionMismatch(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		plugin, npm string
		tags        []string
		dirty       bool
		want        string // version, or part of the error
	}{
		"plugin.json alone":                    {plugin: "1.2.3", want: "1.2.3"},
		"package.json":                         {plugin: "%VERSION%", npm: "1.2.3", want: "1.2.3"},
		"tag":                                  {plugin: "%VERSION%", tags: []string{"1.2.3"}, want: "1.2.3"},
		"highest tag":                          {plugin: "%VERSION%", tags: []string{"v1.10.0-rc.1", "v1.9.0", "v1.10.0", "nightly"}, want: "1.10.0"},
		"all agree":                            {plugin: "%VERSION%", npm: "1.2.3", tags: []string{"v1.2.3", "v1.2.3-rc.1"}, want: "1.2.3"},
		"written twice":                        {plugin: "1.2.3", npm: "1.2.3", tags: []string{"v1.2.3"}, want: "1.2.3"},
		"other tags":                           {plugin: "1.2.3", tags: []string{"other/v9.9.9", "v9", "release"}, want: "1.2.3"},
		"package.json differs":                 {plugin: "1.2.3", npm: "1.2.4", want: `src/plugin.json:4:97: version is "1.2.3", but package.json has "1.2.4" (package-version-mismatch)`},
		"tag differs":                          {plugin: "1.2.3", tags: []string{"v1.2.4"}, want: `src/plugin.json has version "1.2.3", but the commit has the tag v1.2.4`},
		"tag and package.json":                 {plugin: "%VERSION%", npm: "1.2.3", tags: []string{"v1.2.4"}, want: `package.json has version "1.2.3", but the commit has the tag v1.2.4`},
		"changed since the tag":                {plugin: "%VERSION%", npm: "1.2.3", tags: []string{"v1.2.4"}, dirty: true, want: "9.0.0"},
		"no package.json":                      {plugin: "%VERSION%", want: "src/plugin.json: info.version is %VERSION%, but there is no package.json and the commit has no tag such as v1.2.3: restore package.json"},
		"package.json has no version":          {plugin: "%VERSION%", npm: `", "a": "`, want: "but package.json has no version and the commit has no tag such as v1.2.3: add \"version\" to package.json"},
		"package.json is not an object":        {plugin: "%VERSION%", npm: `"`, want: "package.json:1:15: plugin.json takes its version from package.json, which is not valid JSON"},
		"package.json has no semantic version": {plugin: "%VERSION%", npm: "1.0", want: `package.json:1:13: the version "1.0" in package.json`},
		"package.json has a number":            {plugin: "%VERSION%", npm: `", "version": 1, "a": "`, want: `package.json:1:`},
		"package.json is not UTF-8":            {plugin: "%VERSION%", npm: "\xff", want: "in package.json, which a build writes for %VERSION%, is not a semantic version"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := repo(t)
			testkit.WriteFile(t, filepath.Join(dir, "src", "plugin.json"), strings.Replace(metadata, `"version": "1.2.3"`, `"version": "`+c.plugin+`"`, 1))
			if c.npm != "" {
				testkit.WriteFile(t, filepath.Join(dir, "package.json"), `{"version": "`+c.npm+`"}`)
			}
			commit(t, dir)
			for _, tag := range c.tags {
				testkit.Git(t, dir, "tag", tag)
			}
			if c.dirty {
				testkit.WriteFile(t, filepath.Join(dir, "package.json"), `{"version": "9.0.0"}`)
			}
			p, err := MakePlan(t.Context(), checked(t, options(dir, bundle.Host())))
			if err != nil {
				if !strings.Contains(err.Error(), c.want) {
					t.Errorf("error %v, want one containing %q", err, c.want)
				}
			} else if p.Info.Version != c.want {
				t.Errorf("version %q, want %q", p.Info.Version, c.want)
			}
		})
	}
}

// The tags of a repository do not apply to a plugin that is only a part of it.
func TestTagOfALargerRepository(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	commit(t, filepath.Dir(dir))
	testkit.Git(t, dir, "tag", "v9.9.9")
	p, err := MakePlan(t.Context(), options(dir, bundle.Host()))
	if err != nil || p.Info.Version != "1.2.3" {
		t.Errorf("version %v, error %v", p, err)
	}
}

func TestBuildTime(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	commit(t, dir)
	for _, c := range []struct {
		epoch, date string
		time        int64
	}{{"", "2026-03-04", 1772600767}, {"86400", "1970-01-02", 86400}} {
		o := options(dir, bundle.Host())
		o.Environ = append(os.Environ(), "SOURCE_DATE_EPOCH="+c.epoch)
		p := mustPlan(t, o)
		if p.Info.Updated != c.date || p.Info.Build.Time != c.time {
			t.Errorf("epoch %q: %s, %d", c.epoch, p.Info.Updated, p.Info.Build.Time)
		}
	}
	for _, epoch := range []string{"x", "-1", "1e9", "999999999999999"} {
		o := options(dir, bundle.Host())
		o.Environ = append(os.Environ(), "SOURCE_DATE_EPOCH="+epoch)
		if _, err := MakePlan(t.Context(), o); err == nil || !strings.Contains(err.Error(), "invalid SOURCE_DATE_EPOCH") {
			t.Errorf("epoch %q: %v", epoch, err)
		}
	}
}

// Only values change and members are added; order, indentation and line ends are the
// author's.
func TestFormattingIsKept(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"{\r\n\t\"$schema\": \"../x.json\",\r\n\t\"info\" : {\r\n\t\t\"version\":\"%VERSION%\",  \"keywords\": [1,2]\r\n\t},\r\n\t\"id\": \"%PLUGIN_ID%\"\r\n}": "{\r\n\t\"info\" : {\r\n\t\t\"version\":\"1.0.0\",  \"keywords\": [1,2],  \"updated\":\"2026-01-02\",  \"build\":{\"number\":7}\r\n\t},\r\n\t\"id\": \"a\"\r\n}",
		"{\n   \"info\": {\n      \"version\": \"0\"\n   }\n}\n": "{\n   \"info\": {\n      \"version\": \"1.0.0\",\n      \"updated\": \"2026-01-02\",\n      \"build\": {\n         \"number\": 7\n      }\n   }\n}\n",
		`{"info":{}}`: `{"info":{"version":"1.0.0","updated":"2026-01-02","build":{"number":7}}}`,
	} {
		p := &Plan{Info: Info{Version: "1.0.0", Updated: "2026-01-02", Build: &GitInfo{Number: 7}}}
		got := testkit.Must(p.completed(document{to: bundle.MetadataFile, data: []byte(source), metadata: &bundle.Metadata{ID: "a"}}))(t)
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	for _, source := range []string{"{}", `{"info": 1}`, "["} {
		if _, err := (&Plan{}).completed(document{data: []byte(source), metadata: &bundle.Metadata{}}); err == nil {
			t.Errorf("%s: no error", source)
		}
	}
}

func TestReadmePlaceholders(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	testkit.WriteFile(t, filepath.Join(dir, "README.md"), "%PLUGIN_ID% %VERSION% %TODAY% %OTHER%\n")
	testkit.WriteFile(t, filepath.Join(dir, "CHANGELOG.md"), "%VERSION%\n")
	r := mustBuild(t, options(dir, bundle.Host()))
	for name, want := range map[string]string{"README.md": "acme-x-datasource 1.2.3 2026-01-02 %OTHER%\n", "CHANGELOG.md": "%VERSION%\n"} {
		if text, err := os.ReadFile(filepath.Join(r.Dist, name)); err != nil || string(text) != want {
			t.Errorf("%s contains %q, %v", name, text, err)
		}
	}
}
