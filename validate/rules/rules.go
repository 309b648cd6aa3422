package rules

import (
	"embed"
	"strings"

	"github.com/slipway-dev/slipway/validate"
)

//go:embed *.txtar
var examples embed.FS

// All returns all rules in the order in which they run: rules for the JSON, its
// schema, its meaning, and the files it refers to.
func All() []validate.Rule {
	all := []validate.Rule{
		metaMissing(),
		jsonBOM(),
		jsonSyntax(),
		jsonDuplicateKey(),

		requiredField(),
		wrongType(),
		enumValue(),
		valueFormat(),
		unknownField(),
		schemaMissing(),

		idFormat(),
		idTypeSuffix(),
		idDuplicate(),
		nameEqualsID(),
		versionSemver(),
		updatedDate(),
		packageVersionMismatch(),
		packageJSONMissing(),
		toolkitScript(),
		goSDK(),
		buildTooling(),
		descriptionEmpty(),
		keywordsEmpty(),
		unresolvedPlaceholder(),
		scaffoldText(),

		dependencyRangeInvalid(),
		dependencyRangeUnsatisfiable(),
		dependencyRangeSingleVersion(),
		dependencyRangePatchOnly(),
		dependencySelf(),
		dependencyCycle(),
		dependencyUnknownType(),
		minVersionIAM(),
		minVersionRoles(),
		minVersionHealthDiagnostics(),
		fieldOutsideRange(),
		typeOnlyField(),
		alertingNeedsBackend(),
		backendNeedsExecutable(),
		executableWithoutBackend(),
		rendererExecutable(),
		pluginNotExported(),
		roleActionPrefix(),
		iamAction(),
		routeInvalid(),
		dashboardInvalid(),
		frontendMissing(),
		generatedInSource(),
		generatedInvalid(),
		generatedStale(),
		nestedDeclared(),
		nestedType(),

		pathAbsolute(),
		pathEscape(),
		pathMissing(),
		pathCase(),
		pathDot(),
		logoNotSVG(),
		svgUnsafe(),
		screenshotType(),
		screenshotsMissing(),
		sponsorLink(),

		readmeMissing(),
		readmeRelativeLink(),
		readmeJargon(),
		readmeComment(),
		changelogMissing(),
		licenseMissing(),
		licenseKind(),
		licenseTemplate(),

		accessOSEnvironment(),
		accessForbiddenOSEnvironment(),
		accessFileSystemWithFS(),
		accessFileSystemWithFilepath(),
		accessFileSystemWithOS(),
		accessSyscall(),
		fmtPrintLogging(),
		outdatedSqldsVersion(),
		consoleLogging(),
		nativeBrowserDialogs(),
		windowOpenWithoutNoopener(),
		windowProperties(),
		directWindowLocationAccess(),
		noAPIDSQueryEndpoint(),
		backendDatasourceShouldNotImplementTestdatasource(),
		topnavToggle(),
		accessOldReactInternals(),
		deprecatedGfFormCSSClasses(),
		noDirectCSSImports(),
		tsIgnoreSuppress(),
		importOutsideRange(),
		importDeprecated(),
		routeOutsideRange(),
		backendOutsideRange(),

		moduleJSMissing(),
		sourcemapMissing(),
		sourcemapInvalid(),
		sourcemapStale(),
		bundleOutdated(),
		angularFrontend(),
		reactRemoved(),
		reactRuntimeBundled(),
		moduleNotShared(),
		trackingHost(),
		binaryMissing(),
		binaryName(),
		binaryPlatform(),
		binaryMode(),
		binaryLinuxMissing(),
		goManifest(),
		debugFile(),
		manifestMissing(),
		manifestHash(),
		manifestUndeclared(),
		manifestScope(),
		manifestSignature(),

		zipRoot(),
		zipRootName(),
		zipSlip(),
		zipBomb(),
		zipSymlink(),
		zipDuplicateEntry(),
		zipBackslash(),
		zipFileMode(),
	}
	levels := severities()
	for i := range all {
		id := all[i].ID
		all[i].Severity, all[i].Catalog, all[i].Cases = levels[id][0], levels[id][1], cases(id)
		all[i].Example = func() string { return example(id) }
	}
	return all
}

// example returns the txtar archive of a rule, or "" if it has none. It removes the
// marks « and », which enclose the position of each finding for the tests.
func example(id string) string {
	data, _ := examples.ReadFile(exampleFile(id))
	return strings.ReplaceAll(strings.ReplaceAll(string(data), "«", ""), "»", "")
}

func exampleFile(id string) string { return strings.ReplaceAll(id, "-", "_") + ".txtar" }
