package build

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/bundle"
)

// Info is what a build adds to plugin.json.
type Info struct {
	Version string
	Updated string   // YYYY-MM-DD, UTC
	Build   *GitInfo // nil outside of git
}

// GitInfo is the value of info.build.
type GitInfo struct {
	Branch string `json:"branch,omitempty"`
	Hash   string `json:"hash,omitempty"`
	Number int64  `json:"number,omitempty"` // of the CI run
	PR     int64  `json:"pr,omitempty"`     // pull request number
	Repo   string `json:"repo,omitempty"`   // URL without credentials
	Time   int64  `json:"time,omitempty"`   // of the commit, Unix seconds
}

// gatherInfo reads the commit, the environment of CI and package.json. The date is that
// of the commit, which makes builds reproducible; SOURCE_DATE_EPOCH overrides it.
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

func (p *Plan) date() (time.Time, error) {
	if epoch := p.env("SOURCE_DATE_EPOCH"); epoch != "" {
		seconds, err := strconv.ParseInt(epoch, 10, 64)
		if err != nil {
			return time.Time{}, fmt.Errorf("invalid SOURCE_DATE_EPOCH %q: it must be a number of seconds since 1970", epoch)
		}
		return time.Unix(seconds, 0), nil
	}
	if p.Info.Build != nil {
		return time.Unix(p.Info.Build.Time, 0), nil
	}
	return p.options.Now(), nil
}

// version returns the version in plugin.json, with %VERSION% replaced by that of
// package.json or of the commit's tag.
func (p *Plan) version(ctx context.Context) (string, error) {
	version := p.Metadata.Info.Version
	if !strings.Contains(version, bundle.PlaceholderVersion) {
		return version, nil
	}
	found, err := p.foundVersion(ctx)
	return strings.ReplaceAll(version, bundle.PlaceholderVersion, found), err
}

func (p *Plan) foundVersion(ctx context.Context) (string, error) {
	if data, err := os.ReadFile(filepath.Join(p.Repo.Root, "package.json")); err == nil {
		var npm struct{ Version string }
		if err := json.Unmarshal(data, &npm); err != nil {
			return "", fmt.Errorf("read version from package.json: %w", err)
		}
		if npm.Version != "" {
			return npm.Version, nil
		}
	}
	if tag, err := p.git(ctx, "describe", "--tags", "--exact-match", "--match", "v[0-9]*"); err == nil {
		return strings.TrimPrefix(tag, "v"), nil
	}
	return "", errors.New("info.version is %VERSION%, but package.json has no version and the commit has no tag such as v1.2.3: set info.version, or tag the commit")
}

// gitInfo describes the commit. It returns nil outside of git or before the first
// commit. Any other failure of git is an error, since the build would not be
// reproducible.
func (p *Plan) gitInfo(ctx context.Context) (*GitInfo, error) {
	line, err := p.git(ctx, "-c", "log.showSignature=false", "log", "-1", "--format=%H %ct")
	switch {
	case errors.Is(err, exec.ErrNotFound):
		fmt.Fprintln(p.options.Progress, "git not found on the PATH: plugin.json will have today's date and no commit")
		return nil, nil
	case err != nil && (strings.Contains(err.Error(), "not a git repository (or any") || strings.Contains(err.Error(), "does not have any commits yet")):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read commit with git: %w", err)
	}
	hash, seconds, _ := strings.Cut(line, " ")
	at, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("read commit with git: unexpected output %q", line)
	}
	info := &GitInfo{Hash: hash, Time: at}
	if branch, err := p.git(ctx, "symbolic-ref", "--short", "-q", "HEAD"); err == nil {
		info.Branch = branch
	}
	if remote, err := p.git(ctx, "config", "--get", "remote.origin.url"); err == nil {
		info.Repo = withoutCredentials(remote)
	}
	info.Number, _ = strconv.ParseInt(p.env("GITHUB_RUN_NUMBER"), 10, 64)
	if ref, ok := strings.CutPrefix(p.env("GITHUB_REF"), "refs/pull/"); ok {
		number, _, _ := strings.Cut(ref, "/")
		info.PR, _ = strconv.ParseInt(number, 10, 64)
	}
	return info, nil
}

// withoutCredentials removes user, password and query from the URL of a remote. It
// returns "" for a remote that is a path on this machine.
func withoutCredentials(remote string) string {
	if user, rest, ok := strings.Cut(remote, "@"); ok && !strings.Contains(remote, "://") && !strings.ContainsAny(user, `/\:`) {
		host, path, isSCP := strings.Cut(rest, ":")
		if isSCP {
			return "https://" + host + "/" + strings.TrimPrefix(path, "/")
		}
	}
	u, err := url.Parse(remote)
	if err != nil || u.Host == "" {
		return ""
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}

func (p *Plan) git(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", p.Repo.Root}, args...)...)
	cmd.Env = append(slices.Clone(p.options.Environ), "LC_ALL=C")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if text := bytes.TrimSpace(stderr.Bytes()); err != nil && len(text) > 0 {
		err = errors.New(string(text))
	}
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
