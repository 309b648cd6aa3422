package gate

import (
	"fmt"
	"time"
)

// The limits of connections and requests.
const (
	MaxConnections = 1024
	MaxHeaderBytes = 16 << 10 // of a request, as in Node.js
	MaxBody        = 1 << 20  // bytes of a JSON body
	MaxPluginBody  = 16 << 20 // bytes of a body for a plugin

	HeaderTimeout = 10 * time.Second // for the headers of a request to arrive
	KeepAlive     = time.Minute      // for the next request on a connection
	IdleTimeout   = 20 * time.Second // for a client to send the next part of a body, or to accept the next part of a response
	restOfBody    = 2 * time.Second  // for the rest of a body that is not read
	partSize      = 256 << 10        // bytes of a response that a client accepts within IdleTimeout
)

// The limits of what a request asks for, and of what a plugin responds.
const (
	DefaultPageLength = 1000 // entries of a list
	MaxPageLength     = 5000

	MaxQueries      = 200     // in a request
	MaxRefID        = 128     // bytes of the refId of a query
	ParallelSources = 8       // data sources that a request queries at the same time
	MaxWalkPoints   = 100_000 // of the built-in data source, in a response
	MaxFrameCells   = 2_000_000
	MaxPluginHeader = 64 << 10 // bytes of the headers of a plugin's response

	MaxOfferedDashboards = 100     // of a plugin, on a page
	MaxDashboardFile     = 4 << 20 // bytes of a dashboard of a plugin
	MaxInputs            = 100     // of a dashboard that is imported
)

// The limits of streams.
const (
	MaxStreams    = 200       // that a plugin runs
	MaxStreamData = 4 << 10   // bytes of the data of a subscription
	MaxPacket     = 512 << 10 // bytes of a packet of a stream
	MaxMessage    = 64 << 10  // bytes of a message from a client
	FeedQueue     = 64        // packets that wait for a client

	FeedTimeout = 5 * time.Second // for a client to accept a packet
	FeedCheck   = 5 * time.Second // between checks of whether a client may still follow its channel
	FeedGrace   = 5 * time.Second // between the last client and the end of a stream
)

// The limits of what is stored. Expired credentials count until they are deleted.
const (
	MaxPlaylistItems      = 1000
	MaxPlaylists          = 100_000 // in an organization, as the next ones
	MaxFolders            = 10_000
	MaxDashboards         = 10_000
	MaxTags               = 100      // of a dashboard
	MaxTagBytes           = 4 << 10  // of all its tags together
	MaxDataSources        = 5000     // in an organization
	MaxDataSourceSettings = 16 << 20 // bytes of the settings of all its data sources
	MaxSecrets            = 100      // of a data source or an app

	MaxServiceAccounts = 10_000 // in an organization
	MaxAccountTokens   = 5000   // of a service account
	MaxAPIKeys         = 1000   // in an organization
	MaxGrants          = 1000   // permissions of the service account of a plugin
)

// Limit describes a limit in the documentation.
type Limit struct {
	Name   string // what is bounded
	Bound  string // with its unit
	Over   string // what a caller gets when it exceeds the bound
	Reason string
}

// Limits describes the limits.
func Limits() []Limit {
	const (
		refused = "400, with the field"
		disk    = "a script must not fill the disk"
		memory  = "it is held in memory"
	)
	return []Limit{
		{"connections", fmt.Sprint(MaxConnections), "others wait", "a connection costs memory and a file descriptor"},
		{"headers of a request", kibibytes(MaxHeaderBytes), "431", memory},
		{"time for the headers of a request", HeaderTimeout.String(), "the connection is closed", "a connection costs memory"},
		{"time between requests on a connection", KeepAlive.String(), "the connection is closed", "a connection costs memory"},
		{"time for the next part of a body, or to accept the next part of a response", IdleTimeout.String(),
			"408, or the connection is closed", "a client that has stopped must not hold memory"},
		{"JSON body", mebibytes(MaxBody), "413", memory},
		{"body of a call to a plugin", mebibytes(MaxPluginBody), "413", "it is passed on as one message"},
		{"entries of a list", fmt.Sprintf("%d; by default %d, or %[1]d for lists that published clients expect to be complete", MaxPageLength, DefaultPageLength),
			"a page of this length; ask for the next with `page`", memory},

		{"queries of a request", fmt.Sprint(MaxQueries), refused, "each takes memory in the host and in the plugin"},
		{"refId of a query", fmt.Sprintf("%d bytes", MaxRefID), refused, "errors and results repeat it"},
		{"data sources that a request queries at the same time", fmt.Sprint(ParallelSources), "the others wait", "one request must not occupy all plugins"},
		{"values of the frames in a plugin's response", fmt.Sprint(MaxFrameCells), "502 for the query", "a boolean is one bit in an Arrow file and 26 bytes in memory"},
		{"headers of a plugin's response", kibibytes(MaxPluginHeader), "502", memory},
		{"points of the built-in data source in a response", fmt.Sprint(MaxWalkPoints), "400 for the query", "a few bytes can ask for any number of points"},
		{"dashboards of a plugin in a list", fmt.Sprint(MaxOfferedDashboards), "a page of this length; ask for the next with `page`", "the list reads their files"},
		{"file of a dashboard of a plugin", mebibytes(MaxDashboardFile), "it cannot be imported", memory},
		{"inputs of a dashboard that is imported", fmt.Sprint(MaxInputs), refused, "each is compared with every string in the dashboard"},

		{"streams of a plugin", fmt.Sprint(MaxStreams), "503", "viewers choose the names of channels, and each can be a stream"},
		{"data of a subscription", kibibytes(MaxStreamData), refused, "it is kept, because a channel can run again"},
		{"packet of a stream", kibibytes(MaxPacket), "it is dropped and logged; one over 1 MiB ends the run, and the stream runs again", "each client that reads slowly holds it in memory"},
		{"message to a channel", kibibytes(MaxMessage), refused, "it is passed on as one message"},
		{"packets that wait for a client", fmt.Sprint(FeedQueue), "the client is disconnected", "a client that does not read must not hold up others"},
		{"time within which a client that lost access is disconnected", FeedCheck.String(), "", "a session can end, and a token, a permission or a data source can be deleted"},

		{"items of a playlist", fmt.Sprint(MaxPlaylistItems), refused, "each item can refer to every dashboard"},
		{"playlists of an organization", fmt.Sprint(MaxPlaylists), "429", disk},
		{"folders of an organization", fmt.Sprint(MaxFolders), "429", disk},
		{"dashboards of an organization", fmt.Sprint(MaxDashboards), "429", disk},
		{"tags of a dashboard", fmt.Sprintf("%d, and %s in total", MaxTags, kibibytes(MaxTagBytes)), refused, "lists of dashboards contain them"},
		{"data sources of an organization", fmt.Sprint(MaxDataSources), "429", disk},
		{"settings of all data sources of an organization", mebibytes(MaxDataSourceSettings), "429", "a list of data sources contains them"},
		{"secrets of a data source or an app", fmt.Sprint(MaxSecrets), refused, "a call to its plugin contains all of them"},
		{"service accounts of an organization", fmt.Sprint(MaxServiceAccounts), "429", disk},
		{"tokens of a service account", fmt.Sprint(MaxAccountTokens), "429", disk + "; expired tokens are deleted first"},
		{"API keys of an organization", fmt.Sprint(MaxAPIKeys), "429", disk + "; expired keys are deleted first"},
		{"permissions of the service account of a plugin", fmt.Sprint(MaxGrants), "the backend does not start; `/api/plugins/errors` has the reason",
			"each request of the account is checked against them"},
	}
}

func mebibytes(n int) string { return fmt.Sprintf("%d MiB", n>>20) }

func kibibytes(n int) string { return fmt.Sprintf("%d KiB", n>>10) }
