package build

import (
	"regexp"
	"strconv"
	"strings"
)

// ciSystem names the variables of a CI system. Of several, the first with a usable value counts.
type ciSystem struct {
	marker string   // set only in this system
	number []string // of the run
	pr     []string // pull request number, possibly within a ref or a URL
	branch []string // source branch of a pull request, or the branch that was pushed
	hash   []string
	repo   []string // URL; "+" joins two variables with a slash
}

// ciSystems lists the CI systems, with the variable names of their documentation.
func ciSystems() []ciSystem {
	return []ciSystem{
		{ // docs.github.com: GitHub Actions, variables reference
			marker: "GITHUB_RUN_NUMBER", number: []string{"GITHUB_RUN_NUMBER"}, pr: []string{"GITHUB_REF"},
			branch: []string{"GITHUB_HEAD_REF", "GITHUB_REF"}, hash: []string{"GITHUB_SHA"}, repo: []string{"GITHUB_SERVER_URL+GITHUB_REPOSITORY"},
		},
		{ // docs.gitlab.com: predefined CI/CD variables
			marker: "GITLAB_CI", number: []string{"CI_PIPELINE_IID"}, pr: []string{"CI_MERGE_REQUEST_IID"},
			branch: []string{"CI_MERGE_REQUEST_SOURCE_BRANCH_NAME", "CI_COMMIT_BRANCH"}, hash: []string{"CI_COMMIT_SHA"}, repo: []string{"CI_PROJECT_URL"},
		},
		{ // jenkins.io: pipeline environment; the Git plugin sets GIT_*
			marker: "JENKINS_URL", number: []string{"BUILD_NUMBER"}, pr: []string{"CHANGE_ID"},
			branch: []string{"CHANGE_BRANCH", "BRANCH_NAME", "GIT_LOCAL_BRANCH", "GIT_BRANCH"}, hash: []string{"GIT_COMMIT"}, repo: []string{"GIT_URL"},
		},
		{ // circleci.com/docs: built-in environment variables
			marker: "CIRCLECI", number: []string{"CIRCLE_BUILD_NUM"}, pr: []string{"CIRCLE_PR_NUMBER", "CIRCLE_PULL_REQUEST"},
			branch: []string{"CIRCLE_BRANCH"}, hash: []string{"CIRCLE_SHA1"}, repo: []string{"CIRCLE_REPOSITORY_URL"},
		},
		{ // docs.drone.io: environment reference
			marker: "DRONE", number: []string{"DRONE_BUILD_NUMBER"}, pr: []string{"DRONE_PULL_REQUEST"},
			branch: []string{"DRONE_SOURCE_BRANCH", "DRONE_BRANCH"}, hash: []string{"DRONE_COMMIT_SHA"}, repo: []string{"DRONE_REPO_LINK", "DRONE_GIT_HTTP_URL"},
		},
		{ // buildkite.com/docs: environment variables
			marker: "BUILDKITE", number: []string{"BUILDKITE_BUILD_NUMBER"}, pr: []string{"BUILDKITE_PULL_REQUEST"},
			branch: []string{"BUILDKITE_BRANCH"}, hash: []string{"BUILDKITE_COMMIT"}, repo: []string{"BUILDKITE_REPO"},
		},
	}
}

// ciInfo returns what the CI system reports, or nil outside of CI. env returns the value of a variable.
func ciInfo(env func(string) string) *GitInfo {
	for _, system := range ciSystems() {
		if env(system.marker) == "" {
			continue
		}
		return &GitInfo{
			Number: firstOf(env, system.number, number),
			PR:     firstOf(env, system.pr, pullRequest),
			Branch: firstOf(env, system.branch, branchName),
			Hash:   firstOf(env, system.hash, commitHash),
			Repo:   firstOf(env, system.repo, publicURL),
		}
	}
	return nil
}

// firstOf returns the first non-zero value that parse returns for the variables.
func firstOf[T comparable](env func(string) string, names []string, parse func(string) T) (value T) {
	for _, name := range names {
		base, rest, isJoined := strings.Cut(name, "+")
		text := env(base)
		if isJoined && text != "" {
			text += "/" + env(rest)
		}
		if value = parse(text); value != *new(T) {
			return value
		}
	}
	return value
}

// pullRequest returns the number in "42", "refs/pull/42/merge" or the URL of a pull request, else 0.
func pullRequest(text string) int64 {
	if m := pullRequestPath.FindStringSubmatch(text); m != nil {
		text = m[1] + m[2]
	}
	return number(text)
}

// number returns a decimal number, 0 for anything else.
func number(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

var (
	pullRequestPath = regexp.MustCompile(`^(?:refs/pull/(\d+)/|https?://.*/(?:pull|pulls|pull-requests|merge_requests)/(\d+)$)`)
	hexHash         = regexp.MustCompile(`^(?:[0-9a-f]{40}|[0-9a-f]{64})$`)
)

// branchName returns the branch in "main", "origin/main" or "refs/heads/main". Tags are not branches.
func branchName(text string) string {
	if strings.HasPrefix(text, "refs/") && !strings.HasPrefix(text, "refs/heads/") {
		return ""
	}
	return strings.TrimPrefix(strings.TrimPrefix(text, "refs/heads/"), "origin/")
}

// commitHash returns a full hash. Buildkite, for one, also reports "HEAD".
func commitHash(text string) string {
	if !hexHash.MatchString(text) {
		return ""
	}
	return text
}
