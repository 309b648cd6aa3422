package rules

import (
	"cmp"
	"strings"
	"sync"

	"github.com/slipway-dev/slipway/validate"
)

// Rules report facts. This file decides how serious they are: by the rule, the kind of finding, the profile, the
// preset, and whether the plugin is nested. doc/rules.md has the resulting matrix. Where a rule applies,
// it says itself (validate.Rule).

// rated is a rule with the severity of its findings.
type rated struct {
	rule     func() validate.Rule
	severity validate.Severity
	catalog  validate.Severity // in the preset catalog; "" is the same
}

// inOrder returns the rules in the order in which they run: rules for the JSON, its schema, its meaning, and
// the files it refers to.
func inOrder() []rated {
	return []rated{
		{metaMissing, validate.Error, ""},
		{jsonBOM, validate.Error, ""},
		{jsonSyntax, validate.Error, ""},
		{mergeConflict, validate.Error, ""},
		{jsonDuplicateKey, validate.Error, ""},

		{requiredField, validate.Error, ""},
		{wrongType, validate.Error, ""},
		{enumValue, validate.Error, ""},
		{valueFormat, validate.Warning, validate.Error},
		{unknownField, validate.Warning, validate.Error},
		{schemaMissing, validate.Info, ""},

		{idFormat, validate.Warning, validate.Error},
		{idTypeSuffix, validate.Warning, validate.Error},
		{idDuplicate, validate.Error, ""},
		{nameEqualsID, validate.Warning, validate.Error},
		{versionSemver, validate.Warning, validate.Error},
		{updatedDate, validate.Warning, validate.Error},
		{packageVersionMismatch, validate.Error, ""},
		{packageJSONMissing, validate.Off, validate.Error},
		{toolkitScript, validate.Info, validate.Error},
		{goSDK, validate.Off, validate.Error},
		{buildTooling, validate.Off, validate.Error},
		{descriptionEmpty, validate.Warning, ""},
		{keywordsEmpty, validate.Warning, validate.Error},
		{unresolvedPlaceholder, validate.Error, ""},
		{scaffoldText, validate.Warning, validate.Error},
		{scaffoldID, validate.Warning, ""},

		{dependencyRangeInvalid, validate.Error, ""},
		{dependencyRangeUnsatisfiable, validate.Error, ""},
		{dependencyRangeSingleVersion, validate.Warning, ""},
		{dependencyRangePatchOnly, validate.Warning, ""},
		{dependencyRangePrerelease, validate.Off, validate.Info},
		{dependencySelf, validate.Error, ""},
		{dependencyCycle, validate.Error, ""},
		{dependencyUnknownType, validate.Error, ""},
		{minVersionIAM, validate.Error, ""},
		{minVersionRoles, validate.Error, ""},
		{minVersionHealthDiagnostics, validate.Error, ""},
		{fieldOutsideRange, validate.Warning, ""},
		{typeOnlyField, validate.Warning, ""},
		{alertingNeedsBackend, validate.Error, ""},
		{capabilityMissing, validate.Warning, ""},
		{backendNeedsExecutable, validate.Error, ""},
		{executableWithoutBackend, validate.Warning, validate.Error},
		{rendererExecutable, validate.Error, ""},
		{pluginNotExported, validate.Error, ""},
		{roleActionPrefix, validate.Error, ""},
		{iamAction, validate.Warning, ""},
		{routeInvalid, validate.Warning, ""},
		{dashboardInvalid, validate.Error, ""},
		{frontendMissing, validate.Warning, ""},
		{generatedInSource, validate.Error, ""},
		{generatedInvalid, validate.Error, ""},
		{generatedStale, validate.Error, ""},
		{nestedDeclared, validate.Error, ""},
		{nestedType, validate.Error, ""},

		{pathAbsolute, validate.Error, ""},
		{pathEscape, validate.Error, ""},
		{pathMissing, validate.Error, ""},
		{pathCase, validate.Error, ""},
		{pathDot, validate.Info, validate.Error},
		{logoNotSVG, validate.Warning, ""},
		{svgUnsafe, validate.Error, ""},
		{screenshotType, validate.Error, ""},
		{screenshotsMissing, validate.Off, validate.Warning},

		{readmeMissing, validate.Warning, validate.Error},
		{readmeRelativeLink, validate.Warning, validate.Error},
		{readmeJargon, validate.Off, validate.Warning},
		{readmeComment, validate.Off, validate.Warning},
		{changelogMissing, validate.Warning, ""},
		{licenseMissing, validate.Warning, validate.Error},
		{licenseKind, validate.Off, validate.Error},
		{licenseTemplate, validate.Info, validate.Warning},

		{accessOSEnvironment, validate.Info, validate.Error},
		{accessForbiddenOSEnvironment, validate.Info, validate.Warning},
		{accessFileSystemWithFS, validate.Info, validate.Error},
		{accessFileSystemWithFilepath, validate.Info, validate.Error},
		{accessFileSystemWithOS, validate.Info, validate.Error},
		{accessSyscall, validate.Info, validate.Error},
		{fmtPrintLogging, validate.Warning, validate.Error},
		{outdatedSqldsVersion, validate.Info, validate.Warning},
		{consoleLogging, validate.Info, validate.Warning},
		{nativeBrowserDialogs, validate.Info, validate.Error},
		{windowOpenWithoutNoopener, validate.Info, validate.Error},
		{windowProperties, validate.Info, validate.Error},
		{directWindowLocationAccess, validate.Info, validate.Warning},
		{noAPIDSQueryEndpoint, validate.Info, validate.Error},
		{backendDatasourceShouldNotImplementTestdatasource, validate.Info, validate.Error},
		{topnavToggle, validate.Warning, validate.Error},
		{accessOldReactInternals, validate.Warning, ""},
		{deprecatedGfFormCSSClasses, validate.Info, validate.Warning},
		{noDirectCSSImports, validate.Info, validate.Error},
		{tsIgnoreSuppress, validate.Info, validate.Warning},
		{importOutsideRange, validate.Error, ""},
		{importDeprecated, validate.Info, ""},
		{routeOutsideRange, validate.Warning, ""},
		{backendOutsideRange, validate.Warning, ""},

		{moduleJSMissing, validate.Error, ""},
		{sourcemapMissing, validate.Warning, validate.Error},
		{sourcemapInvalid, validate.Off, validate.Error},
		{sourcemapStale, validate.Off, validate.Error},
		{bundleOutdated, validate.Warning, ""},
		{angularFrontend, validate.Warning, validate.Error},
		{reactRemoved, validate.Off, validate.Warning},
		{reactRuntimeBundled, validate.Error, ""},
		{moduleNotShared, validate.Error, ""},
		{trackingHost, validate.Warning, validate.Error},
		{binaryMissing, validate.Error, ""},
		{binaryName, validate.Error, ""},
		{binaryPlatform, validate.Error, ""},
		{binaryMode, validate.Error, ""},
		{binaryLinuxMissing, validate.Off, validate.Error},
		{goManifest, validate.Info, validate.Error},
		{debugFile, validate.Error, ""},
		{manifestMissing, validate.Warning, ""},
		{manifestHash, validate.Error, ""},
		{manifestUndeclared, validate.Error, ""},
		{manifestScope, validate.Warning, validate.Error},
		{manifestSignature, validate.Error, ""},

		{zipRoot, validate.Error, ""},
		{zipRootName, validate.Error, ""},
		{zipSlip, validate.Error, ""},
		{zipBomb, validate.Error, ""},
		{zipFormat, validate.Error, ""},
		{zipSymlink, validate.Error, ""},
		{zipDuplicateEntry, validate.Error, ""},
		{zipBackslash, validate.Error, ""},
		{zipFileMode, validate.Info, validate.Error},
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
