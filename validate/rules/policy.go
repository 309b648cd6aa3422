package rules

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/slipway-dev/slipway/validate"
)

// Rules report facts. This file decides how serious they are: by the rule, the kind of finding, the profile, the
// preset, and whether the plugin is nested. doc/rules.md has the resulting matrix. Where a rule applies,
// it says itself (validate.Rule).

// severities returns the severity of the findings of each rule by default, and in the preset catalog if
// that differs.
func severities() map[string][2]validate.Severity {
	return map[string][2]validate.Severity{
		"meta-missing":                     {validate.Error, ""},
		"json-bom":                         {validate.Error, ""},
		"json-syntax":                      {validate.Error, ""},
		"json-duplicate-key":               {validate.Error, ""},
		"required-field":                   {validate.Error, ""},
		"wrong-type":                       {validate.Error, ""},
		"enum-value":                       {validate.Error, ""},
		"value-format":                     {validate.Warning, validate.Error},
		"unknown-field":                    {validate.Warning, validate.Error},
		"schema-missing":                   {validate.Info, ""},
		"id-format":                        {validate.Warning, validate.Error},
		"id-type-suffix":                   {validate.Warning, validate.Error},
		"id-duplicate":                     {validate.Error, ""},
		"name-equals-id":                   {validate.Warning, validate.Error},
		"version-semver":                   {validate.Warning, validate.Error},
		"updated-date":                     {validate.Warning, validate.Error},
		"package-version-mismatch":         {validate.Error, ""},
		"package-json-missing":             {validate.Off, validate.Error},
		"toolkit-script":                   {validate.Info, validate.Error},
		"go-sdk":                           {validate.Off, validate.Error},
		"build-tooling":                    {validate.Off, validate.Error},
		"description-empty":                {validate.Warning, ""},
		"keywords-empty":                   {validate.Warning, validate.Error},
		"unresolved-placeholder":           {validate.Error, ""},
		"scaffold-text":                    {validate.Warning, validate.Error},
		"dependency-range-invalid":         {validate.Error, ""},
		"dependency-range-unsatisfiable":   {validate.Error, ""},
		"dependency-range-single-version":  {validate.Warning, ""},
		"dependency-range-patch-only":      {validate.Warning, ""},
		"dependency-self":                  {validate.Error, ""},
		"dependency-cycle":                 {validate.Error, ""},
		"dependency-unknown-type":          {validate.Error, ""},
		"min-version-iam":                  {validate.Error, ""},
		"min-version-roles":                {validate.Error, ""},
		"min-version-health-diagnostics":   {validate.Error, ""},
		"field-outside-range":              {validate.Warning, ""},
		"type-only-field":                  {validate.Warning, ""},
		"alerting-needs-backend":           {validate.Error, ""},
		"backend-needs-executable":         {validate.Error, ""},
		"executable-without-backend":       {validate.Warning, validate.Error},
		"renderer-executable":              {validate.Error, ""},
		"plugin-not-exported":              {validate.Error, ""},
		"role-action-prefix":               {validate.Error, ""},
		"iam-action":                       {validate.Warning, ""},
		"route-invalid":                    {validate.Warning, ""},
		"dashboard-invalid":                {validate.Error, ""},
		"frontend-missing":                 {validate.Warning, ""},
		"generated-in-source":              {validate.Error, ""},
		"generated-invalid":                {validate.Error, ""},
		"generated-stale":                  {validate.Error, ""},
		"nested-declared":                  {validate.Error, ""},
		"nested-type":                      {validate.Error, ""},
		"path-absolute":                    {validate.Error, ""},
		"path-escape":                      {validate.Error, ""},
		"path-missing":                     {validate.Error, ""},
		"path-case":                        {validate.Error, ""},
		"path-dot":                         {validate.Info, validate.Error},
		"logo-not-svg":                     {validate.Warning, ""},
		"svg-unsafe":                       {validate.Error, ""},
		"screenshot-type":                  {validate.Error, ""},
		"screenshots-missing":              {validate.Off, validate.Warning},
		"sponsor-link":                     {validate.Off, validate.Info},
		"readme-missing":                   {validate.Warning, validate.Error},
		"readme-relative-link":             {validate.Warning, validate.Error},
		"readme-jargon":                    {validate.Off, validate.Warning},
		"readme-comment":                   {validate.Off, validate.Warning},
		"changelog-missing":                {validate.Warning, ""},
		"license-missing":                  {validate.Warning, validate.Error},
		"license-kind":                     {validate.Off, validate.Error},
		"license-template":                 {validate.Info, validate.Warning},
		"access-os-environment":            {validate.Info, validate.Error},
		"access-forbidden-os-environment":  {validate.Info, validate.Warning},
		"access-file-system-with-fs":       {validate.Info, validate.Error},
		"access-file-system-with-filepath": {validate.Info, validate.Error},
		"access-file-system-with-os":       {validate.Info, validate.Error},
		"access-syscall":                   {validate.Info, validate.Error},
		"fmt-print-logging":                {validate.Warning, validate.Error},
		"outdated-sqlds-version":           {validate.Info, validate.Warning},
		"console-logging":                  {validate.Info, validate.Warning},
		"native-browser-dialogs":           {validate.Info, validate.Error},
		"window-open-without-noopener":     {validate.Info, validate.Error},
		"window-properties":                {validate.Info, validate.Error},
		"direct-window-location-access":    {validate.Info, validate.Warning},
		"no-api-ds-query-endpoint":         {validate.Info, validate.Error},
		"backend-datasource-should-not-implement-testdatasource": {validate.Info, validate.Error},
		"topnav-toggle":                  {validate.Warning, validate.Error},
		"access-old-react-internals":     {validate.Warning, ""},
		"deprecated-gf-form-css-classes": {validate.Info, validate.Warning},
		"no-direct-css-imports":          {validate.Info, validate.Error},
		"ts-ignore-suppress":             {validate.Info, validate.Warning},
		"import-outside-range":           {validate.Error, ""},
		"import-deprecated":              {validate.Info, ""},
		"route-outside-range":            {validate.Warning, ""},
		"backend-outside-range":          {validate.Warning, ""},
		"module-js-missing":              {validate.Error, ""},
		"sourcemap-missing":              {validate.Warning, validate.Error},
		"sourcemap-invalid":              {validate.Off, validate.Error},
		"sourcemap-stale":                {validate.Off, validate.Error},
		"bundle-outdated":                {validate.Warning, ""},
		"angular-frontend":               {validate.Warning, validate.Error},
		"react-removed":                  {validate.Off, validate.Warning},
		"react-runtime-bundled":          {validate.Error, ""},
		"module-not-shared":              {validate.Error, ""},
		"tracking-host":                  {validate.Warning, validate.Error},
		"binary-missing":                 {validate.Error, ""},
		"binary-name":                    {validate.Error, ""},
		"binary-platform":                {validate.Error, ""},
		"binary-mode":                    {validate.Error, ""},
		"binary-linux-missing":           {validate.Off, validate.Error},
		"go-manifest":                    {validate.Info, validate.Error},
		"debug-file":                     {validate.Error, ""},
		"manifest-missing":               {validate.Warning, ""},
		"manifest-hash":                  {validate.Error, ""},
		"manifest-undeclared":            {validate.Error, ""},
		"manifest-scope":                 {validate.Warning, validate.Error},
		"manifest-signature":             {validate.Error, ""},
		"zip-root":                       {validate.Error, ""},
		"zip-root-name":                  {validate.Error, ""},
		"zip-slip":                       {validate.Error, ""},
		"zip-bomb":                       {validate.Error, ""},
		"zip-symlink":                    {validate.Error, ""},
		"zip-duplicate-entry":            {validate.Error, ""},
		"zip-backslash":                  {validate.Error, ""},
		"zip-file-mode":                  {validate.Info, validate.Error},
	}
}

// kind is a kind of findings whose severity is not always that of their rule.
type kind int

// The kinds, in the order of the rules.
const (
	ordinary kind = iota // with the severity of the rule
	requiredOfRole
	requiredOfRoute
	requiredInfo
	requiredOfInfo
	requiredLogo
	emptyLogo
	requiredInherited
	requiredDependency
	emptyName
	choiceOfRole
	violation
	misspelledKey
	keyOfOpenObject
	unmountableID
	shortID
	longID
	otherVersion
	packageVersion
	emptyKeyword
	leftoverText
	rangeOfOther
	acceptedRange
	iamTooEarly
	healthOff
	refusedType
	routeWithRole
	guardedUse
	appNotExported
	badDashboard
	dashboardWithoutUID
	includedPlugin
	includedOtherwise
	outerType
	buildCreates
	pathAbove
	bitmapLogo
	otherScreenshot
	otherLicense
	moduleOfGroup
	shortModule
	unrefusedAngular
	otherMode
	goFilesListed
	goFilesAround
	goFilesDiffer
	unsignedPlugin
	privateSignature
)

// kindOf describes a kind.
type kindOf struct {
	rules string // that report it
	what  string // for readers of doc/rules.md; "" means all findings of these rules

	// A letter for each severity, . for no finding, and = for the severity of the rule: in the profile service,
	// there in the preset catalog, in the profile grafana, and there in the preset catalog.
	severities string
	nested     string // those in nested plugins; "" means the same
}

var kinds = sync.OnceValue(func() []kindOf {
	const outOfRange = "import-outside-range route-outside-range backend-outside-range"
	const ofSchema = "value-format version-semver updated-date keywords-empty unknown-field"
	const ofRange = "dependency-range-invalid dependency-range-unsatisfiable"
	return []kindOf{
		ordinary: {severities: "===="},

		// Grafana and its published schema accept these. It loads nested plugins without the keys that only the
		// catalog reads, which requires the logos.
		requiredOfRole:     {"required-field", `a key of "roles" or "iam"`, "==ww", ""},
		requiredOfRoute:    {"required-field", `a key of "routes", "includes" or "extensions"`, "==w=", "==ww"},
		requiredInfo:       {"required-field", `"info"`, "====", "==iw"},
		requiredOfInfo:     {"required-field", `a key of "info"`, "====", "==ii"},
		requiredLogo:       {"required-field", `a logo`, "====", "==i="},
		emptyLogo:          {"required-field", `an empty path of a logo`, "====", "==w="},
		requiredInherited:  {"required-field", `a version or date`, "====", "ii.."},
		requiredDependency: {"required-field", `a key of "dependencies"`, "====", "==.."},
		emptyName:          {"required-field", `an empty "name"`, "==ww", ""},
		choiceOfRole:       {"enum-value", `a value in "roles"`, "==ww", ""},

		violation:       {ofSchema, "", "====", "=w=w"}, // the catalog does not apply the schema to these
		misspelledKey:   {"unknown-field", "a misspelling of a required key", "eeee", ""},
		keyOfOpenObject: {"unknown-field", "where the published schema allows other keys", "=w=w", ""},

		unmountableID:  {"id-format", "an id that no host mounts", "eeee", ""},
		shortID:        {"id-format", "two parts, for which the catalog asks for three", ".w.w", ""},
		longID:         {"id-format", "more parts than the published schema allows", "..ie", ""},
		otherVersion:   {"package-version-mismatch", "", "==w=", ""}, // releases are named after either
		packageVersion: {"package-version-mismatch", "no version in package.json", ".=.=", ""},
		emptyKeyword:   {"keywords-empty", "an empty keyword", "wwww", ""},
		leftoverText:   {"scaffold-text", "other than the heading of README.md", "wwww", ""},

		rangeOfOther:  {ofRange, "the range of the other profile", "wwww", ""},
		acceptedRange: {ofRange, "a range that the published schema accepts", "==ww", ""},
		iamTooEarly:   {"min-version-iam", "", "==ww", ""}, // behind a feature toggle
		healthOff:     {"min-version-health-diagnostics", "the value false", "iiii", ""},
		refusedType:   {"field-outside-range", "a type that hosts do not load", "eeee", ""},
		routeWithRole: {"field-outside-range", `"reqAction" beside "reqRole"`, "iiii", ""}, // which all hosts check
		guardedUse:    {outOfRange, "code that goes on without it", "iiii", ""},

		appNotExported:      {"plugin-not-exported", "an app", "wwww", ""},
		badDashboard:        {"dashboard-invalid", "", "==ww", ""},
		dashboardWithoutUID: {"dashboard-invalid", "no uid", "==ii", ""},
		includedPlugin:      {"nested-declared", "", "==w=", ""}, // hosts load them regardless
		includedOtherwise:   {"nested-declared", "an entry with another path or type", ".=.=", ""},
		outerType:           {"nested-type", "only the type of the outer plugin is wrong", "w=w=", ""},

		buildCreates:    {"path-missing", "a file that the build of the repository may create", "wwww", ""},
		pathAbove:       {"path-dot", `a path that begins with "../"`, ".=.=", ""},
		bitmapLogo:      {"logo-not-svg", "a bitmap", "==ii", ""},
		otherScreenshot: {"screenshot-type", "WebP, or another extension than that of the content", ".=.=", "...."},
		otherLicense:    {"license-missing", "a name other than LICENSE", ".=.=", ""},

		moduleOfGroup:    {"module-js-missing", "an app without pages that has nested plugins", ".=.=", ""},
		shortModule:      {"sourcemap-missing", "a module.js that may be written by hand", ".=.=", ""},
		unrefusedAngular: {"angular-frontend", "a range without the hosts that refuse it", ".=.=", ""},
		otherMode:        {"binary-mode", "an executable mode other than 0755", ".=.=", ""},
		goFilesListed:    {"go-manifest", "", ".===", ""},
		goFilesAround:    {"go-manifest", "a comparison with the repository around the plugin", ".=.=", ""},
		goFilesDiffer:    {"go-manifest", "files that differ from those of the repository", "eeee", ""},
		unsignedPlugin:   {"manifest-missing", "MANIFEST.json without MANIFEST.txt", ".=.=", ""},
		privateSignature: {"manifest-scope", "a private signature", ".w.w", ""},
	}
})

func (k kindOf) severity(s validate.Setting) validate.Severity {
	severities, column := k.severities, 0
	if s.IsNested {
		severities = cmp.Or(k.nested, k.severities)
	}
	if s.Profile.IsLenient {
		column = 2
	}
	if s.IsCatalog {
		column++
	}
	switch severities[column] {
	case 'e':
		return validate.Error
	case 'w':
		return validate.Warning
	case 'i':
		return validate.Info
	case '.':
		return validate.Off
	}
	return ""
}

// in returns the severity of a kind for a plugin; "" is that of the rule, Off means no finding.
func (k kind) in(p *validate.Pass) validate.Severity { return kinds()[k].severity(p.Setting()) }

// isOff reports whether a kind has no findings for a plugin.
func (k kind) isOff(p *validate.Pass) bool { return k.in(p) == validate.Off }

// cases returns the kinds of findings of a rule.
func cases(id string) (all []validate.Case) {
	for _, k := range kinds() {
		if slices.Contains(strings.Fields(k.rules), id) {
			all = append(all, validate.Case{What: k.what, Severity: k.severity})
		}
	}
	return all
}
