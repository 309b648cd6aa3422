package rules

import (
	"cmp"
	"fmt"
	"strings"

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

		{ID: "required-field", Severity: validate.Error, Check: requiredField,
			Cases: cases(requiredOfRole, requiredOfRoute, requiredInfo, requiredOfInfo, requiredLogo, emptyLogo,
				requiredInherited, requiredDependency, emptyName)},
		{ID: "wrong-type", Severity: validate.Error, Check: wrongType},
		{ID: "enum-value", Severity: validate.Error, Check: enumValue, Cases: cases(choiceOfRole)},
		{ID: "value-format", Severity: validate.Warning, Catalog: validate.Error, Check: valueFormat, Cases: cases(violation)},
		{ID: schema.UnknownField, Severity: validate.Warning, Catalog: validate.Error, Check: unknownField,
			Cases: cases(violation, misspelledKey, foldedKey, keyOfOpenObject)},
		{ID: "schema-missing", Severity: validate.Info, Where: source, OfOutermost: true, Check: schemaMissing},

		{ID: "id-format", Severity: validate.Warning, Catalog: validate.Error, Check: idFormat,
			Cases: cases(unmountableID, shortID, longID)},
		{ID: "id-type-suffix", Severity: validate.Warning, Catalog: validate.Error, Check: idTypeSuffix},
		{ID: "id-duplicate", Severity: validate.Error, Check: idDuplicate},
		{ID: "name-equals-id", Severity: validate.Warning, Catalog: validate.Error, Check: nameEqualsID},
		{ID: "version-semver", Severity: validate.Warning, Catalog: validate.Error, Check: versionSemver,
			Cases: cases(violation, unbuildableVersion)},
		{ID: "updated-date", Severity: validate.Warning, Catalog: validate.Error, Check: updatedDate, Cases: cases(violation)},
		{ID: "package-version-mismatch", Severity: validate.Error, OfOutermost: true, OfRepository: true, Check: packageVersionMismatch,
			Cases: cases(otherVersion, packageVersion)},
		{ID: "package-json-missing", Severity: validate.Off, Catalog: validate.Error, OfOutermost: true, OfRepository: true,
			Check: packageJSONMissing},
		{ID: "toolkit-script", Severity: validate.Info, Catalog: validate.Error, OfOutermost: true, OfRepository: true,
			Check: toolkitScript},
		{ID: "go-sdk", Severity: validate.Off, Catalog: validate.Error, OfOutermost: true, OfRepository: true, Check: goSDK},
		{ID: "build-tooling", Severity: validate.Off, Catalog: validate.Error, OfOutermost: true, OfRepository: true,
			Check: buildTooling},
		{ID: "description-empty", Severity: validate.Warning, Check: descriptionEmpty},
		{ID: "keywords-empty", Severity: validate.Warning, Catalog: validate.Error, Check: keywordsEmpty,
			Cases: cases(violation, emptyKeyword)},
		{ID: "unresolved-placeholder", Severity: validate.Error, Where: built, Check: unresolvedPlaceholder},
		{ID: "scaffold-text", Severity: validate.Warning, Catalog: validate.Error, Check: scaffoldText, Cases: cases(leftoverText)},
		{ID: "scaffold-id", Severity: validate.Warning, OfOutermost: true, OfRepository: true, Check: scaffoldID},

		{ID: dependencyRangeInvalidID, Severity: validate.Error, Check: dependencyRangeInvalid,
			Cases: cases(rangeOfOther, acceptedRange, unparsedRange)},
		{ID: "dependency-range-unsatisfiable", Severity: validate.Error, Check: dependencyRangeUnsatisfiable,
			Cases: cases(rangeOfOther, acceptedRange, unparsedRange)},
		{ID: "dependency-range-single-version", Severity: validate.Warning, Check: dependencyRangeSingleVersion},
		{ID: "dependency-range-patch-only", Severity: validate.Warning, Check: dependencyRangePatchOnly},
		{ID: "dependency-range-prerelease", Severity: validate.Off, Catalog: validate.Info, Check: dependencyRangePrerelease},
		{ID: "dependency-self", Severity: validate.Error, Check: dependencySelf},
		{ID: "dependency-cycle", Severity: validate.Error, Check: dependencyCycle},
		{ID: dependencyUnknownTypeID, Severity: validate.Error, Check: dependencyUnknownType},
		{ID: "min-version-iam", Severity: validate.Error, Aspect: "plugin.json", Check: minVersionIAM, Cases: cases(iamTooEarly)},
		{ID: "min-version-roles", Severity: validate.Error, Aspect: "plugin.json", Check: minVersionRoles},
		{ID: "min-version-health-diagnostics", Severity: validate.Error, Aspect: "plugin.json", Check: minVersionHealthDiagnostics,
			Cases: cases(healthOff)},
		{ID: "field-outside-range", Severity: validate.Warning, Aspect: "plugin.json", Check: fieldOutsideRange,
			Cases: cases(refusedType, routeWithRole)},
		{ID: "type-only-field", Severity: validate.Warning, Check: typeOnlyField},
		{ID: alertingNeedsBackendID, Severity: validate.Error, Check: alertingNeedsBackend},
		{ID: "capability-missing", Severity: validate.Warning, Where: source, OfOutermost: true, Check: capabilityMissing,
			Cases: cases(streamOnly)},
		{ID: "backend-needs-executable", Severity: validate.Error, Check: backendNeedsExecutable},
		{ID: "executable-without-backend", Severity: validate.Warning, Catalog: validate.Error, Check: executableWithoutBackend},
		{ID: "renderer-executable", Severity: validate.Error, Aspect: "plugin.json", Check: rendererExecutable},
		{ID: "plugin-not-exported", Severity: validate.Error, Where: source, Check: pluginNotExported, Cases: cases(appNotExported)},
		{ID: "role-action-prefix", Severity: validate.Error, Check: roleActionPrefix},
		{ID: "iam-action", Severity: validate.Warning, Check: iamAction},
		{ID: "route-invalid", Severity: validate.Warning, Check: routeInvalid},
		{ID: "dashboard-invalid", Severity: validate.Error, Check: dashboardInvalid, Cases: cases(badDashboard, dashboardWithoutUID)},
		{ID: "frontend-missing", Severity: validate.Warning, Where: source, OfOutermost: true, Check: frontendMissing},
		{ID: schema.GeneratedInSource, Severity: validate.Error, Where: source, Check: generatedInSource},
		{ID: schema.GeneratedInvalid, Severity: validate.Error, Where: built, Check: generatedInvalid},
		{ID: "generated-stale", Severity: validate.Error, Where: built, Check: generatedStale},
		{ID: "nested-declared", Severity: validate.Error, OfOutermost: true, Check: nestedDeclared,
			Cases: cases(includedPlugin, includedNothing, includedOtherwise)},
		{ID: "nested-type", Severity: validate.Error, Check: nestedType, Cases: cases(outerType)},

		{ID: "path-absolute", Severity: validate.Error, Check: pathAbsolute},
		{ID: "path-escape", Severity: validate.Error, Check: pathEscape},
		{ID: "path-missing", Severity: validate.Error, Check: pathMissing, Cases: cases(buildCreates)},
		{ID: "path-case", Severity: validate.Error, Check: pathCase},
		{ID: "path-dot", Severity: validate.Info, Catalog: validate.Error, Check: pathDot, Cases: cases(pathAbove)},
		{ID: "logo-not-svg", Severity: validate.Warning, Check: logoNotSVG, Cases: cases(bitmapLogo)},
		{ID: "svg-unsafe", Severity: validate.Error, Check: svgUnsafe},
		{ID: "screenshot-type", Severity: validate.Error, Check: screenshotType, Cases: cases(otherScreenshot)},
		{ID: "screenshots-missing", Severity: validate.Off, Catalog: validate.Warning, OfOutermost: true, Check: screenshotsMissing},

		{ID: "readme-missing", Severity: validate.Warning, Catalog: validate.Error, OfOutermost: true, Check: readmeMissing},
		{ID: "readme-relative-link", Severity: validate.Warning, Catalog: validate.Error, OfOutermost: true, Check: readmeRelativeLink},
		{ID: "readme-jargon", Severity: validate.Off, Catalog: validate.Warning, OfOutermost: true, Check: readmeJargon},
		{ID: "readme-comment", Severity: validate.Off, Catalog: validate.Warning, OfOutermost: true, Check: readmeComment},
		{ID: "changelog-missing", Severity: validate.Warning, OfOutermost: true, Check: changelogMissing},
		{ID: "license-missing", Severity: validate.Warning, Catalog: validate.Error, OfOutermost: true, Check: licenseMissing,
			Cases: cases(otherLicense)},
		{ID: "license-kind", Severity: validate.Off, Catalog: validate.Error, OfOutermost: true, Check: licenseKind},
		{ID: "license-template", Severity: validate.Info, Catalog: validate.Warning, OfOutermost: true, Check: licenseTemplate},

		{ID: "access-os-environment", Severity: validate.Info, Catalog: validate.Error, Where: source, Check: accessOSEnvironment},
		{ID: "access-forbidden-os-environment", Severity: validate.Info, Catalog: validate.Warning, Where: source,
			Check: accessForbiddenOSEnvironment},
		{ID: "access-file-system-with-fs", Severity: validate.Info, Catalog: validate.Error, Where: source,
			Check: accessFileSystemWithFS},
		{ID: "access-file-system-with-filepath", Severity: validate.Info, Catalog: validate.Error, Where: source,
			Check: accessFileSystemWithFilepath},
		{ID: "access-file-system-with-os", Severity: validate.Info, Catalog: validate.Error, Where: source,
			Check: accessFileSystemWithOS},
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
		{ID: "import-outside-range", Severity: validate.Error, IsOfRange: true, Aspect: "imports", Check: importOutsideRange,
			Cases: cases(guardedUse)},
		{ID: "import-deprecated", Severity: validate.Info, Where: source, Check: importDeprecated},
		{ID: "route-outside-range", Severity: validate.Warning, Aspect: "routes", Check: routeOutsideRange, Cases: cases(guardedUse)},
		{ID: "backend-outside-range", Severity: validate.Warning, Where: source, Aspect: "backend", Check: backendOutsideRange,
			Cases: cases(guardedUse)},

		{ID: "module-js-missing", Severity: validate.Error, Where: built, Check: moduleJSMissing, Cases: cases(moduleOfGroup)},
		{ID: "sourcemap-missing", Severity: validate.Warning, Catalog: validate.Error, Where: built, Check: sourcemapMissing,
			Cases: cases(shortModule)},
		{ID: "sourcemap-invalid", Severity: validate.Off, Catalog: validate.Error, Where: built, OfOutermost: true,
			Check: sourcemapInvalid},
		{ID: "sourcemap-stale", Severity: validate.Off, Catalog: validate.Error, OfOutermost: true, OfRepository: true,
			Check: sourcemapStale},
		{ID: "bundle-outdated", Severity: validate.Warning, Where: built, Check: bundleOutdated},
		{ID: "angular-frontend", Severity: validate.Warning, Catalog: validate.Error, Where: built, Aspect: "modules",
			Check: angularFrontend, Cases: cases(unrefusedAngular)},
		{ID: "react-removed", Severity: validate.Off, Catalog: validate.Warning, Where: built, Aspect: "react", Check: reactRemoved},
		{ID: "react-runtime-bundled", Severity: validate.Error, Where: built, Aspect: "react", Check: reactRuntimeBundled},
		{ID: "module-not-shared", Severity: validate.Error, Aspect: "modules", Check: moduleNotShared},
		{ID: "tracking-host", Severity: validate.Warning, Catalog: validate.Error, Where: built, Check: trackingHost},
		{ID: "binary-missing", Severity: validate.Error, Where: built, Check: binaryMissing},
		{ID: binaryNameID, Severity: validate.Error, Where: built, Check: binaryName},
		{ID: "binary-platform", Severity: validate.Error, Where: built, Check: binaryPlatform},
		{ID: "binary-mode", Severity: validate.Error, Where: built, Check: binaryMode, Cases: cases(otherMode)},
		{ID: "binary-linux-missing", Severity: validate.Off, Catalog: validate.Error, Where: built, Check: binaryLinuxMissing},
		{ID: "go-manifest", Severity: validate.Info, Catalog: validate.Error, OfOutermost: true, Check: goManifest,
			Cases: cases(goFilesListed, goFilesAround, goFilesDiffer)},
		{ID: "debug-file", Severity: validate.Error, Where: built, Check: debugFile, Cases: cases(strayFile)},
		{ID: "manifest-missing", Severity: validate.Warning, Where: zip, OfOutermost: true, Check: manifestMissing,
			Cases: cases(unsignedPlugin)},
		{ID: "manifest-hash", Severity: validate.Error, Where: built, Check: manifestHash},
		{ID: "manifest-undeclared", Severity: validate.Error, Where: built, Check: manifestUndeclared},
		{ID: "manifest-scope", Severity: validate.Warning, Catalog: validate.Error, Where: built, Check: manifestScope,
			Cases: cases(privateSignature)},
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

// kind is a kind of findings whose severity is not always that of their rule: a letter for each severity, . for no
// finding, and = for the severity of the rule, in the profile service, there in the preset catalog, in the profile
// grafana, and there in the preset catalog; after a slash those in nested plugins, if they differ; and then what the
// findings are, for readers of doc/rules.md, unless they are all findings of the rule.
type kind string

const (
	ordinary kind = "===="

	// Grafana and its published schema accept these. It loads nested plugins without the keys that only the
	// catalog reads, which requires the logos.
	requiredOfRole     kind = `==ww a key of "roles" or "iam"`
	requiredOfRoute    kind = `==w=/==ww a key of "routes", "includes" or "extensions"`
	requiredInfo       kind = `====/==iw "info"`
	requiredOfInfo     kind = `====/==ii a key of "info"`
	requiredLogo       kind = "====/==i= a logo"
	emptyLogo          kind = "====/==w= an empty path of a logo"
	requiredInherited  kind = "====/ii.. a version or date"
	requiredDependency kind = `====/==.. a key of "dependencies"`
	emptyName          kind = `==ww an empty "name"`
	choiceOfRole       kind = `==ww a value in "roles"`

	violation       kind = "====/=w=w" // the catalog does not apply the schema to these
	misspelledKey   kind = "eeee a misspelling of a required key"
	foldedKey       kind = "eeee a key that differs from a known one only in case"
	keyOfOpenObject kind = "=w=w where the published schema allows other keys"

	unmountableID  kind = "eeee an id that no host mounts"
	shortID        kind = ".w.w two parts, for which the catalog asks for three"
	longID         kind = "..ie more parts than the published schema allows"
	otherVersion   kind = "==w=" // releases are named after either
	packageVersion kind = ".=.= no version in package.json"

	unbuildableVersion kind = "eeee what %VERSION% stands for, if no build accepts it"

	emptyKeyword kind = "wwww an empty keyword"
	leftoverText kind = "wwww other than the heading of README.md"

	rangeOfOther  kind = "wwww the range of the other profile"
	acceptedRange kind = "==ww a range that the published schema accepts"
	unparsedRange kind = "==w=/==ww a range that the schema accepts, but not the catalog's parser"
	iamTooEarly   kind = "==ww" // behind a feature toggle
	healthOff     kind = "iiii the value false"
	refusedType   kind = "eeee a type that hosts do not load"
	routeWithRole kind = `iiii "reqAction" beside "reqRole"` // which all hosts check
	guardedUse    kind = "iiii code that goes on without it"

	streamOnly          kind = "iiii streams, which panels get regardless"
	appNotExported      kind = "wwww an app"
	badDashboard        kind = "==ww"
	dashboardWithoutUID kind = "==ii no uid"
	includedPlugin      kind = "==w=" // hosts load them regardless
	includedNothing     kind = "wwww an entry without a path"
	includedOtherwise   kind = ".=.= an entry with another path or type"
	outerType           kind = "w=w= only the type of the outer plugin is wrong"

	buildCreates    kind = "wwww a file that the build of the repository may create"
	pathAbove       kind = `.=.= a path that begins with "../"`
	bitmapLogo      kind = "==ii a bitmap"
	otherScreenshot kind = ".=.=/.... WebP, or another extension than that of the content"
	otherLicense    kind = ".=.= a name other than LICENSE"

	moduleOfGroup    kind = ".=.= an app without pages that has nested plugins"
	shortModule      kind = ".=.= a module.js that may be written by hand"
	unrefusedAngular kind = ".=.= a range without the hosts that refuse it"
	otherMode        kind = ".=.= an executable mode other than 0755"
	strayFile        kind = "iiii what editors and systems leave behind"
	goFilesListed    kind = ".==="
	goFilesAround    kind = ".=.= a comparison with the repository around the plugin"
	goFilesDiffer    kind = "eeee files that differ from those of the repository"
	unsignedPlugin   kind = ".==="
	privateSignature kind = ".w.w a private signature"
)

func (k kind) severity(s validate.Setting) validate.Severity {
	columns, _, _ := strings.Cut(string(k), " ")
	severities, nested, _ := strings.Cut(columns, "/")
	column := 0
	if s.IsNested {
		severities = cmp.Or(nested, severities)
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
func (k kind) in(p *validate.Pass) validate.Severity { return k.severity(p.Setting) }

// isOff reports whether a kind has no findings for a plugin.
func (k kind) isOff(p *validate.Pass) bool { return k.in(p) == validate.Off }

// reportf reports a finding of a kind, with the help of the rule.
func (k kind) reportf(p *validate.Pass, at validate.Place, format string, args ...any) {
	p.Report(validate.Finding{Severity: k.in(p), Place: at, Message: fmt.Sprintf(format, args...)})
}

// cases describes the kinds of findings of a rule.
func cases(kinds ...kind) (all []validate.Case) {
	for _, k := range kinds {
		_, what, _ := strings.Cut(string(k), " ")
		all = append(all, validate.Case{What: what, Severity: k.severity})
	}
	return all
}
