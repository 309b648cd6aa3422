package gate

import "time"

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
