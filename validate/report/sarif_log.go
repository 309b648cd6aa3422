package report

// The objects of SARIF 2.1.0 that SARIF writes.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool struct {
			Driver sarifDriver `json:"driver"`
		} `json:"tool"`
		Invocations        []sarifInvocation    `json:"invocations"`
		OriginalURIBaseIDs map[string]sarifBase `json:"originalUriBaseIds"`
		Results            []sarifResult        `json:"results"`
		ColumnKind         string               `json:"columnKind"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		Version        string      `json:"version,omitempty"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules,omitempty"`
	}
	sarifRule struct {
		ID      string       `json:"id"`
		Short   *sarifText   `json:"shortDescription,omitempty"`
		Full    *sarifText   `json:"fullDescription,omitempty"`
		Help    *sarifHelp   `json:"help,omitempty"`
		HelpURI string       `json:"helpUri,omitempty"`
		Default sarifDefault `json:"defaultConfiguration"`
	}
	sarifDefault struct {
		Level string `json:"level"`
	}
	sarifHelp struct {
		Text     string `json:"text"`
		Markdown string `json:"markdown"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifBase struct {
		Description sarifText `json:"description"`
	}
	sarifInvocation struct {
		IsSuccess     bool                `json:"executionSuccessful"`
		ExitCode      int                 `json:"exitCode"`
		Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
	}
	sarifNotification struct {
		Level     string              `json:"level"`
		Message   sarifText           `json:"message"`
		Locations []sarifLocation     `json:"locations,omitempty"`
		Rule      *sarifRuleReference `json:"associatedRule,omitempty"`
	}
	sarifRuleReference struct {
		ID    string `json:"id"`
		Index int    `json:"index"`
	}
	sarifResult struct {
		RuleID       string             `json:"ruleId"`
		RuleIndex    int                `json:"ruleIndex"`
		Level        string             `json:"level"`
		Message      sarifText          `json:"message"`
		Locations    []sarifLocation    `json:"locations"`
		Related      []sarifLocation    `json:"relatedLocations,omitempty"`
		Fingerprints map[string]string  `json:"partialFingerprints"`
		Suppressions []sarifSuppression `json:"suppressions,omitempty"`
	}
	sarifSuppression struct {
		Kind          string `json:"kind"`
		Justification string `json:"justification,omitempty"`
	}
	sarifLocation struct {
		ID       int            `json:"id,omitempty"`
		Message  *sarifText     `json:"message,omitempty"`
		Physical *sarifPhysical `json:"physicalLocation,omitempty"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI  string `json:"uri"`
		Base string `json:"uriBaseId,omitempty"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn,omitempty"`
		EndLine     int `json:"endLine,omitempty"`
		EndColumn   int `json:"endColumn,omitempty"`
	}
	sarifLogical struct {
		FullName string `json:"fullyQualifiedName"`
	}
)
