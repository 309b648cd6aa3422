package build

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/Masterminds/semver/v3"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/limit"
	"github.com/slipway-dev/slipway/internal/process"
)

// Info is what a build adds to plugin.json.
type Info struct {
	Version string
	Updated string   // YYYY-MM-DD, UTC
	Build   *GitInfo // nil outside of git and CI

	time int64 // of the commit or SOURCE_DATE_EPOCH, Unix seconds; 0 if there is neither
}

// GitInfo is the value of info.build.
type GitInfo struct {
	Branch string `json:"branch,omitempty"`
	Hash   string `json:"hash,omitempty"`
	Number int64  `json:"number,omitempty"` // of the CI run
	PR     int64  `json:"pr,omitempty"`     // pull request number
	Repo   string `json:"repo,omitempty"`   // https URL without credentials
	Time   int64  `json:"time,omitempty"`   // of the commit or SOURCE_DATE_EPOCH, Unix seconds
}

// gatherInfo reads the commit with its tags, the environment of CI and package.json. The date is that of the commit,
// so that builds are reproducible, or SOURCE_DATE_EPOCH.
func (p *Plan) gatherInfo(ctx context.Context) error {
	var err error
	if p.Info.Build, err = p.gitInfo(ctx); err != nil {
		return err
	}
	at, err := p.date()
	if err != nil {
		return err
	}
	p.Info.Updated = at.UTC().Format(time.DateOnly)
	p.Info.Version, err = p.version(ctx)
	return err
}

// date returns the time of the build, and sets it in info.build.
func (p *Plan) date() (time.Time, error) {
	build := p.Info.Build
	if epoch := p.env("SOURCE_DATE_EPOCH"); epoch != "" {
		seconds, err := strconv.ParseInt(epoch, 10, 64)
		if err != nil || seconds < 0 || seconds > maxEpoch {
			return time.Time{}, fmt.Errorf("invalid SOURCE_DATE_EPOCH %q: it must be a number of seconds since 1970", epoch)
		}
		if build != nil {
			build.Time = seconds
		}
		p.Info.time = seconds
		return time.Unix(seconds, 0), nil
	}
	if build != nil && build.Time != 0 {
		p.Info.time = build.Time
		return time.Unix(build.Time, 0), nil
	}
	return p.options.Now(), nil
}

// maxEpoch is the last second of the year 9999: later dates are not YYYY-MM-DD.
const maxEpoch = 253402300799

// version returns the version in plugin.json, whose %VERSION% is that of package.json or of the tag, which it must
// match, if there is one. A rule of validate compares both files.
func (p *Plan) version(ctx context.Context) (string, error) {
	version, npm := p.Metadata.Info.Version, ""
	from, found := p.relative(filepath.Join(p.Repo.Source, bundle.MetadataFile)), version
	hasPlaceholder := strings.Contains(version, bundle.PlaceholderVersion)
	if hasPlaceholder {
		var err error
		if npm, err = p.npmVersion(); err != nil {
			return "", err
		}
		if npm != "" {
			from, found = "package.json", npm
		}
	}
	tags, isTop := p.versionTags(ctx)
	switch {
	case hasPlaceholder && npm == "" && len(tags) == 0:
		lacks, help := "package.json has no version", `add "version" to package.json`
		if !exists(filepath.Join(p.Repo.Root, "package.json")) {
			lacks, help = "there is no package.json", "restore package.json"
		}
		return "", fmt.Errorf("%s: info.version is %s, but %s and the commit has no tag such as v1.2.3: %s, or tag the commit",
			from, bundle.PlaceholderVersion, lacks, help)
	case hasPlaceholder && npm == "":
		found = strings.TrimPrefix(tags[0], "v")
	case isTop && len(tags) > 0 && !slices.Contains(tags, found) && !slices.Contains(tags, "v"+found) && p.isCommitted(ctx):
		return "", fmt.Errorf("%s has version %q, but the commit has the tag %s: change the version, commit it and move the tag to that commit, or delete the tag", from, found, tags[0])
	}
	if hasPlaceholder {
		return strings.ReplaceAll(version, bundle.PlaceholderVersion, found), nil
	}
	return version, nil
}

// npmVersion returns the version in package.json, which rules of validate have checked, or "".
func (p *Plan) npmVersion() (string, error) {
	data, err := limit.ReadSettings(filepath.Join(p.Repo.Root, "package.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read version from package.json: %w", err)
	}
	doc, err := bundle.ParseDocument("package.json", data)
	if err != nil {
		return "", fmt.Errorf("read version: %w", err)
	}
	version, _ := doc.Text("/version")
	return version, nil
}

// parseVersion parses a version that has all three numbers, perhaps after a v. It returns nil for any other text.
func parseVersion(text string) *semver.Version {
	numbers, _, _ := strings.Cut(strings.ReplaceAll(text, "+", "-"), "-")
	if v, err := semver.NewVersion(text); err == nil && strings.Count(numbers, ".") == 2 {
		return v
	}
	return nil
}

// versionTags returns the tags of the commit that name a version, the highest first. isTop reports whether the plugin is
// a whole git repository: else, they may be the tags of another part.
func (p *Plan) versionTags(ctx context.Context) (tags []string, isTop bool) {
	if p.Info.Build == nil || p.Info.Build.Hash == "" {
		return nil, false
	}
	list, err := p.git(ctx, "tag", "--points-at=HEAD")
	if err != nil || list == "" {
		return nil, false
	}
	var versions []*semver.Version
	for tag := range strings.FieldsSeq(list) {
		if v := parseVersion(tag); v != nil {
			versions = append(versions, v)
		}
	}
	slices.SortStableFunc(versions, func(a, b *semver.Version) int { return b.Compare(a) })
	for _, v := range versions {
		tags = append(tags, v.Original())
	}
	prefix, err := p.git(ctx, "rev-parse", "--show-prefix")
	return tags, err == nil && prefix == ""
}

// isCommitted reports whether the files with the version are those of the commit, so that its tags apply.
func (p *Plan) isCommitted(ctx context.Context) bool {
	changes, err := p.git(ctx, "status", "--porcelain", "--", "package.json", p.relative(filepath.Join(p.Repo.Source, bundle.MetadataFile)))
	return err == nil && changes == ""
}

// gitInfo describes the commit and the run of CI, or is nil without both. In a repository with commits, git must not
// fail: the build would not be reproducible.
func (p *Plan) gitInfo(ctx context.Context) (*GitInfo, error) {
	ci := ciInfo(p.env)
	line, err := p.git(ctx, "-c", "log.showSignature=false", "log", "-1", "--format=%H %ct")
	switch {
	case errors.Is(err, exec.ErrNotFound):
		p.warnings = append(p.warnings, "git not found on the PATH: plugin.json has today's date and no commit")
		return ci, nil
	case err != nil && (strings.Contains(err.Error(), "not a git repository (or any") || strings.Contains(err.Error(), "does not have any commits yet")):
		return ci, nil
	case err != nil:
		return nil, fmt.Errorf("read commit with git: %w", err)
	}
	hash, seconds, _ := strings.Cut(line, " ")
	at, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("read commit with git: unexpected output %q", line)
	}
	info := &GitInfo{}
	if ci != nil {
		info = ci
	}
	info.Hash, info.Time = hash, at
	if branch, err := p.git(ctx, "symbolic-ref", "--short", "-q", "HEAD"); err == nil {
		info.Branch = branch // otherwise HEAD is detached, and only CI knows the branch
	}
	if remote, err := p.git(ctx, "config", "--get", "remote.origin.url"); err == nil && publicURL(remote) != "" {
		info.Repo = publicURL(remote)
	}
	return info, nil
}

// publicURL returns the https form of a remote, without user, password and query, or "" for a path here.
func publicURL(remote string) string {
	if user, rest, ok := strings.Cut(remote, "@"); ok && !strings.Contains(remote, "://") && !strings.ContainsAny(user, `/\:`) {
		host, path, isSCP := strings.Cut(rest, ":")
		if isSCP {
			return "https://" + host + "/" + strings.TrimPrefix(path, "/")
		}
	}
	u, err := url.Parse(remote)
	if err != nil || u.Host == "" || u.Scheme == "file" {
		return ""
	}
	if u.Scheme != "https" && u.Scheme != "http" { // the port is that of another protocol
		u.Scheme, u.Host = "https", strings.TrimSuffix(u.Host, ":"+u.Port())
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}

func (p *Plan) git(ctx context.Context, args ...string) (string, error) {
	// The configuration of a repository may name a program that git would run to find changes.
	cmd := exec.CommandContext(ctx, "git", append([]string{"-c", "core.fsmonitor=false", "-C", p.Repo.Root}, args...)...)
	cmd.Env = append(slices.Clone(p.options.Environ), "LC_ALL=C")
	out, err := process.Output(cmd)
	return string(bytes.TrimSpace(out)), err
}

// env returns the last value of an environment variable.
func (p *Plan) env(name string) (value string) {
	for _, entry := range p.options.Environ {
		if v, ok := strings.CutPrefix(entry, name+"="); ok {
			value = v
		}
	}
	return value
}
