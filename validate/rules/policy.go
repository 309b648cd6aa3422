package rules

import (
	"cmp"
	"fmt"
	"strings"
	"sync"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/schema"
)

// Rules report facts. This file decides where they run and how serious they are: by the rule, the kind of finding, the
// profile, the preset, and whether the plugin is nested. doc/rules.md has the resulting matrix.

// inOrder returns the rules in the order in which they run: rules for the JSON, its schema, its meaning, and
// the files it refers to. Their texts are in the .txtar files.
func inOrder() []validate.Rule {
	const source, built, zip = validate.Source, validate.Dist | validate.Zip, validate.Zip
	return []validate.Rule{
		{ID: "meta-missing", Severity: validate.Error, IsRaw: true, Check: metaMissing},
		{ID: "json-bom", Severity: validate.Error, IsRaw: true, Check: jsonBOM},
		{ID: "json-syntax", Severity: validate.Error, IsRaw: true, Check: jsonSyntax},
		{ID: "merge-conflict", Severity: validate.Error, OfOutermost: true, Check: mergeConflict},
		{ID: "json-duplicate-key", Severity: validate.Error, Check: jsonDuplicateKey},

		{ID: "required-field", Severity: validate.Error, Check: requiredField},
		{ID: "wrong-type", Severity: validate.Error, Check: wrongType},
		{ID: "enum-value", Severity: validate.Error, Check: enumValue},
		{ID: "value-format", Severity: validate.Warning, Catalog: validate.Error, Check: valueFormat},
		{ID: schema.UnknownField, Severity: validate.Warning, Catalog: validate.Error, Check: unknownField},
		{ID: "schema-missing", Severity: validate.Info, Where: source, OfOutermost: true, Check: schemaMissing},

		{ID: "id-format", Severity: validate.Warning, Catalog: validate.Error, Check: idFormat},
		{ID: "id-type-suffix", Severity: validate.Warning, Catalog: validate.Error, Check: idTypeSuffix},
		{ID: "id-duplicate", Severity: validate.Error, Check: idDuplicate},
		{ID: "name-equals-id", Severity: validate.Warning, Catalog: validate.Error, Check: nameEqualsID},
		{ID: "version-semver", Severity: validate.Warning, Catalog: validate.Error, Check: versionSemver},
		{ID: "updated-date", Severity: validate.Warning, Catalog: validate.Error, Check: updatedDate},
		{ID: "package-version-mismatch", Severity: validate.Error, OfOutermost: true, OfRepository: true, Check: packageVersionMismatch},
		{ID: "package-json-missing", Severity: validate.Off, Catalog: validate.Error, OfOutermost: true, OfRepository: true,
			Check: packageJSONMissing},
		{ID: "toolkit-script", Severity: validate.Info, Catalog: validate.Error, OfOutermost: true, OfRepository: true, Check: toolkitScript},
		{ID: "go-sdk", Severity: validate.Off, Catalog: validate.Error, OfOutermost: true, OfRepository: true, Check: goSDK},
		{ID: "build-tooling", Severity: validate.Off, Catalog: validate.Error, OfOutermost: true, OfRepository: true, Check: buildTooling},
		{ID: "description-empty", Severity: validate.Warning, Check: descriptionEmpty},
		{ID: "keywords-empty", Severity: validate.Warning, Catalog: validate.Error, Check: keywordsEmpty},
		{ID: "unresolved-placeholder", Severity: validate.Error, Where: built, Check: unresolvedPlaceholder},
		{ID: "scaffold-text", Severity: validate.Warning, Catalog: validate.Error, Check: scaffoldText},
		{ID: "scaffold-id", Severity: validate.Warning, OfOutermost: true, OfRepository: true, Check: scaffoldID},

		{ID: dependencyRangeInvalidID, Severity: validate.Error, Check: dependencyRangeInvalid},
		{ID: "dependency-range-unsatisfiable", Severity: validate.Error, Check: dependencyRangeUnsatisfiable},
		{ID: "dependency-range-single-version", Severity: validate.Warning, Check: dependencyRangeSingleVersion},
		{ID: "dependency-range-patch-only", Severity: validate.Warning, Check: dependencyRangePatchOnly},
		{ID: "dependency-range-prerelease", Severity: validate.Off, Catalog: validate.Info, Check: dependencyRangePrerelease},
		{ID: "dependency-self", Severity: validate.Error, Check: dependencySelf},
		{ID: "dependency-cycle", Severity: validate.Error, Check: dependencyCycle},
		{ID: dependencyUnknownTypeID, Severity: validate.Error, Check: dependencyUnknownType},
		{ID: "min-version-iam", Severity: validate.Error, Aspect: "plugin.json", Check: minVersionIAM},
		{ID: "min-version-roles", Severity: validate.Error, Aspect: "plugin.json", Check: minVersionRoles},
		{ID: "min-version-health-diagnostics", Severity: validate.Error, Aspect: "plugin.json", Check: minVersionHealthDiagnostics},
		{ID: "field-outside-range", Severity: validate.Warning, Aspect: "plugin.json", Check: fieldOutsideRange},
		{ID: "type-only-field", Severity: validate.Warning, Check: typeOnlyField},
		{ID: alertingNeedsBackendID, Severity: validate.Error, Check: alertingNeedsBackend},
		{ID: "capability-missing", Severity: validate.Warning, Where: source, OfOutermost: true, Check: capabilityMissing},
		{ID: "backend-needs-executable", Severity: validate.Error, Check: backendNeedsExecutable},
		{ID: "executable-without-backend", Severity: validate.Warning, Catalog: validate.Error, Check: executableWithoutBackend},
		{ID: "renderer-executable", Severity: validate.Error, Aspect: "plugin.json", Check: rendererExecutable},
		{ID: "plugin-not-exported", Severity: validate.Error, Where: source, Check: pluginNotExported},
		{ID: "role-action-prefix", Severity: validate.Error, Check: roleActionPrefix},
		{ID: "iam-action", Severity: validate.Warning, Check: iamAction},
		{ID: "route-invalid", Severity: validate.Warning, Check: routeInvalid},
		{ID: "dashboard-invalid", Severity: validate.Error, Check: dashboardInvalid},
		{ID: "frontend-missing", Severity: validate.Warning, Where: source, OfOutermost: true, Check: frontendMissing},
		{ID: schema.GeneratedInSource, Severity: validate.Error, Where: source, Check: generatedInSource},
		{ID: schema.GeneratedInvalid, Severity: validate.Error, Where: built, Check: generatedInvalid},
		{ID: "generated-stale", Severity: validate.Error, Where: built, Check: generatedStale},
		{ID: "nested-declared", Severity: validate.Error, OfOutermost: true, Check: nestedDeclared},
		{ID: "nested-type", Severity: validate.Error, Check: nestedType},

		{ID: "path-absolute", Severity: validate.Error, Check: pathAbsolute},
		{ID: "path-escape", Severity: validate.Error, Check: pathEscape},
		{ID: "path-missing", Severity: validate.Error, Check: pathMissing},
		{ID: "path-case", Severity: validate.Error, Check: pathCase},
		{ID: "path-dot", Severity: validate.Info, Catalog: validate.Error, Check: pathDot},
		{ID: "logo-not-svg", Severity: validate.Warning, Check: logoNotSVG},
		{ID: "svg-unsafe", Severity: validate.Error, Check: svgUnsafe},
		{ID: "screenshot-type", Severity: validate.Error, Check: screenshotType},
		{ID: "screenshots-missing", Severity: validate.Off, Catalog: validate.Warning, OfOutermost: true, Check: screenshotsMissing},

		{ID: "readme-missing", Severity: validate.Warning, Catalog: validate.Error, OfOutermost: true, Check: readmeMissing},
		{ID: "readme-relative-link", Severity: validate.Warning, Catalog: validate.Error, OfOutermost: true, Check: readmeRelativeLink},
		{ID: "readme-jargon", Severity: validate.Off, Catalog: validate.Warning, OfOutermost: true, Check: readmeJargon},
		{ID: "readme-comment", Severity: validate.Off, Catalog: validate.Warning, OfOutermost: true, Check: readmeComment},
		{ID: "changelog-missing", Severity: validate.Warning, OfOutermost: true, Check: changelogMissing},
		{ID: "license-missing", Severity: validate.Warning, Catalog: validate.Error, OfOutermost: true, Check: licenseMissing},
		{ID: "license-kind", Severity: validate.Off, Catalog: validate.Error, OfOutermost: true, Check: licenseKind},
		{ID: "license-template", Severity: validate.Info, Catalog: validate.Warning, OfOutermost: true, Check: licenseTemplate},

		{ID: "access-os-environment", Severity: validate.Info, Catalog: validate.Error, Where: source, Check: accessOSEnvironment},
		{ID: "access-forbidden-os-environment", Severity: validate.Info, Catalog: validate.Warning, Where: source,
			Check: accessForbiddenOSEnvironment},
		{ID: "access-file-system-with-fs", Severity: validate.Info, Catalog: validate.Error, Where: source, Check: accessFileSystemWithFS},
		{ID: "access-file-system-with-filepath", Severity: validate.Info, Catalog: validate.Error, Where: source,
			Check: accessFileSystemWithFilepath},
		{ID: "access-file-system-with-os", Severity: validate.Info, Catalog: validate.Error, Where: source, Check: accessFileSystemWithOS},
		{ID: "access-syscall", Severity: validate.Info, Catalog: validate.Error, Where: source, Check: accessSyscall},
		{ID: "fmt-print-logging", Severity: validate.Warning, Catalog: validate.Error, Where: source, Check: fmtPrintLogging},
		{ID: "outdated-sqlds-version", Severity: validate.Info, Catalog: validate.Warning, Where: source, Check: outdatedSqldsVersion},
		{ID: "console-logging", Severity: validate.Info, Catalog: validate.Warning, Where: source, Check: consoleLogging},
		{ID: "native-browser-dialogs", Severity: validate.Info, Catalog: validate.Error, Where: source, Check: nativeBrowserDialogs},
		{ID: "window-open-without-noopener", Severity: validate.Info, Catalog: validate.Error, Where: source,
			Check: windowOpenWithoutNoopener},
		{ID: "window-properties", Severity: validate.Info, Catalog: validate.Error, Where: source, Check: windowProperties},
		{ID: "direct-window-location-access", Severity: validate.Info, Catalog: validate.Warning, Where: source,
			Check: directWindowLocationAccess},
		{ID: "no-api-ds-query-endpoint", Severity: validate.Info, Catalog: validate.Error, Where: source, Check: noAPIDSQueryEndpoint},
		{ID: "backend-datasource-should-not-implement-testdatasource", Severity: validate.Info, Catalog: validate.Error, Where: source,
			Check: backendDatasourceShouldNotImplementTestdatasource},
		{ID: "topnav-toggle", Severity: validate.Warning, Catalog: validate.Error, Where: source, Check: topnavToggle},
		{ID: "access-old-react-internals", Severity: validate.Warning, Where: source, Check: accessOldReactInternals},
		{ID: "deprecated-gf-form-css-classes", Severity: validate.Info, Catalog: validate.Warning, Where: source,
			Check: deprecatedGfFormCSSClasses},
		{ID: "no-direct-css-imports", Severity: validate.Info, Catalog: validate.Error, Where: source, Check: noDirectCSSImports},
		{ID: "ts-ignore-suppress", Severity: validate.Info, Catalog: validate.Warning, Where: source, Check: tsIgnoreSuppress},
		{ID: "import-outside-range", Severity: validate.Error, IsOfRange: true, Aspect: "imports", Check: importOutsideRange},
		{ID: "import-deprecated", Severity: validate.Info, Where: source, Check: importDeprecated},
		{ID: "route-outside-range", Severity: validate.Warning, Aspect: "routes", Check: routeOutsideRange},
		{ID: "backend-outside-range", Severity: validate.Warning, Where: source, Aspect: "backend", Check: backendOutsideRange},

		{ID: "module-js-missing", Severity: validate.Error, Where: built, Check: moduleJSMissing},
		{ID: "sourcemap-missing", Severity: validate.Warning, Catalog: validate.Error, Where: built, Check: sourcemapMissing},
		{ID: "sourcemap-invalid", Severity: validate.Off, Catalog: validate.Error, Where: built, OfOutermost: true, Check: sourcemapInvalid},
		{ID: "sourcemap-stale", Severity: validate.Off, Catalog: validate.Error, OfOutermost: true, OfRepository: true,
			Check: sourcemapStale},
		{ID: "bundle-outdated", Severity: validate.Warning, Where: built, Check: bundleOutdated},
		{ID: "angular-frontend", Severity: validate.Warning, Catalog: validate.Error, Where: built, Aspect: "modules",
			Check: angularFrontend},
		{ID: "react-removed", Severity: validate.Off, Catalog: validate.Warning, Where: built, Aspect: "react", Check: reactRemoved},
		{ID: "react-runtime-bundled", Severity: validate.Error, Where: built, Aspect: "react", Check: reactRuntimeBundled},
		{ID: "module-not-shared", Severity: validate.Error, Aspect: "modules", Check: moduleNotShared},
		{ID: "tracking-host", Severity: validate.Warning, Catalog: validate.Error, Where: built, Check: trackingHost},
		{ID: "binary-missing", Severity: validate.Error, Where: built, Check: binaryMissing},
		{ID: binaryNameID, Severity: validate.Error, Where: built, Check: binaryName},
		{ID: "binary-platform", Severity: validate.Error, Where: built, Check: binaryPlatform},
		{ID: "binary-mode", Severity: validate.Error, Where: built, Check: binaryMode},
		{ID: "binary-linux-missing", Severity: validate.Off, Catalog: validate.Error, Where: built, Check: binaryLinuxMissing},
		{ID: "go-manifest", Severity: validate.Info, Catalog: validate.Error, OfOutermost: true, Check: goManifest},
		{ID: "debug-file", Severity: validate.Error, Where: built, Check: debugFile},
		{ID: "manifest-missing", Severity: validate.Warning, Where: zip, OfOutermost: true, Check: manifestMissing},
		{ID: "manifest-hash", Severity: validate.Error, Where: built, Check: manifestHash},
		{ID: "manifest-undeclared", Severity: validate.Error, Where: built, Check: manifestUndeclared},
		{ID: "manifest-scope", Severity: validate.Warning, Catalog: validate.Error, Where: built, Check: manifestScope},
		{ID: "manifest-signature", Severity: validate.Error, Where: built, OfOutermost: true, Check: manifestSignature},

		{ID: "zip-root", Severity: validate.Error, Where: zip, OfArchive: true, Check: zipRoot},
		{ID: "zip-root-name", Severity: validate.Error, Where: zip, OfArchive: true, Check: zipRootName},
		{ID: "zip-slip", Severity: validate.Error, Where: zip, OfArchive: true, Check: zipSlip},
		{ID: "zip-bomb", Severity: validate.Error, Where: zip, OfArchive: true, Check: zipBomb},
		{ID: "zip-format", Severity: validate.Error, Where: zip, OfArchive: true, Check: zipFormat},
		{ID: "zip-symlink", Severity: validate.Error, Where: zip, OfArchive: true, Check: zipSymlink},
		{ID: "zip-duplicate-entry", Severity: validate.Error, Where: zip, OfArchive: true, Check: zipDuplicateEntry},
		{ID: "zip-backslash", Severity: validate.Error, Where: zip, OfArchive: true, Check: zipBackslash},
		{ID: "zip-file-mode", Severity: validate.Info, Catalog: validate.Error, Where: zip, OfArchive: true, Check: zipFileMode},
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
	foldedKey
	keyOfOpenObject
	unmountableID
	shortID
	longID
	otherVersion
	packageVersion
	unbuildableVersion
	emptyKeyword
	leftoverText
	rangeOfOther
	acceptedRange
	unparsedRange
	iamTooEarly
	healthOff
	refusedType
	routeWithRole
	guardedUse
	streamOnly
	appNotExported
	badDashboard
	dashboardWithoutUID
	includedPlugin
	includedNothing
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
	strayFile
	goFilesListed
	goFilesAround
	goFilesDiffer
	unsignedPlugin
	privateSignature
)

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
		foldedKey:       {"unknown-field", "a key that differs from a known one only in case", "eeee", ""},
		keyOfOpenObject: {"unknown-field", "where the published schema allows other keys", "=w=w", ""},

		unmountableID:  {"id-format", "an id that no host mounts", "eeee", ""},
		shortID:        {"id-format", "two parts, for which the catalog asks for three", ".w.w", ""},
		longID:         {"id-format", "more parts than the published schema allows", "..ie", ""},
		otherVersion:   {"package-version-mismatch", "", "==w=", ""}, // releases are named after either
		packageVersion: {"package-version-mismatch", "no version in package.json", ".=.=", ""},

		unbuildableVersion: {"version-semver", "what %VERSION% stands for, if no build accepts it", "eeee", ""},

		emptyKeyword: {"keywords-empty", "an empty keyword", "wwww", ""},
		leftoverText: {"scaffold-text", "other than the heading of README.md", "wwww", ""},

		rangeOfOther:  {ofRange, "the range of the other profile", "wwww", ""},
		acceptedRange: {ofRange, "a range that the published schema accepts", "==ww", ""},
		unparsedRange: {ofRange, "a range that the schema accepts, but not the catalog's parser", "==w=", "==ww"},
		iamTooEarly:   {"min-version-iam", "", "==ww", ""}, // behind a feature toggle
		healthOff:     {"min-version-health-diagnostics", "the value false", "iiii", ""},
		refusedType:   {"field-outside-range", "a type that hosts do not load", "eeee", ""},
		routeWithRole: {"field-outside-range", `"reqAction" beside "reqRole"`, "iiii", ""}, // which all hosts check
		guardedUse:    {outOfRange, "code that goes on without it", "iiii", ""},

		streamOnly:          {"capability-missing", "streams, which panels get regardless", "iiii", ""},
		appNotExported:      {"plugin-not-exported", "an app", "wwww", ""},
		badDashboard:        {"dashboard-invalid", "", "==ww", ""},
		dashboardWithoutUID: {"dashboard-invalid", "no uid", "==ii", ""},
		includedPlugin:      {"nested-declared", "", "==w=", ""}, // hosts load them regardless
		includedNothing:     {"nested-declared", "an entry without a path", "wwww", ""},
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
		strayFile:        {"debug-file", "what editors and systems leave behind", "iiii", ""},
		goFilesListed:    {"go-manifest", "", ".===", ""},
		goFilesAround:    {"go-manifest", "a comparison with the repository around the plugin", ".=.=", ""},
		goFilesDiffer:    {"go-manifest", "files that differ from those of the repository", "eeee", ""},
		unsignedPlugin:   {"manifest-missing", "", ".===", ""},
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
func (k kind) in(p *validate.Pass) validate.Severity { return kinds()[k].severity(p.Setting) }

// isOff reports whether a kind has no findings for a plugin.
func (k kind) isOff(p *validate.Pass) bool { return k.in(p) == validate.Off }

// reportf reports a finding of a kind, with the help of the rule.
func (k kind) reportf(p *validate.Pass, at validate.Place, format string, args ...any) {
	p.Report(validate.Finding{Severity: k.in(p), Place: at, Message: fmt.Sprintf(format, args...)})
}

// cases holds the kinds of findings of each rule, by its id.
var cases = sync.OnceValue(func() map[string][]validate.Case {
	of := map[string][]validate.Case{}
	for _, k := range kinds() {
		for id := range strings.FieldsSeq(k.rules) {
			of[id] = append(of[id], validate.Case{What: k.what, Severity: k.severity})
		}
	}
	return of
})
