package host

import (
	"fmt"
	"time"
)

// Bounds on what callers can make the host hold, store or wait for. Limits describes them.
const (
	MaxPlaylistItems = 1000

	DefaultPageLength = 1000 // entries
	MaxPageLength     = 5000 // entries
	FreeEntries       = 200  // of a page that does not wait for a turn

	MaxPlaylists   = 100_000 // in an organization
	MaxFolders     = 10_000  // in an organization
	MaxDashboards  = 10_000  // in an organization
	MaxDataSources = 5000    // in an organization

	MaxDataSourceSettings = 16 << 20 // bytes of the settings of all data sources of an organization

	// Of stored credentials. Expired ones count until they are deleted.
	MaxServiceAccounts = 10_000 // in an organization
	MaxAccountTokens   = 5000   // of a service account
	MaxAPIKeys         = 1000   // in an organization
	MaxPluginAPIKeys   = 250    // that a plugin created

	MaxFeeds       = 64 // clients of the event stream
	MaxCallerFeeds = 16 // of these, of one caller

	MaxQueries      = 200     // in a request
	MaxRefID        = 128     // bytes of the refId of a query
	ParallelSources = 8       // data sources that a request queries at the same time
	MaxWalkPoints   = 100_000 // of the built-in data source, in a response

	// MaxFrameCells bounds the values in a plugin's response to queries: a boolean is one
	// bit in an Arrow file and 26 bytes in memory while it is converted.
	MaxFrameCells = 2_000_000

	MaxOfferedDashboards = 100     // of a plugin, on a page
	MaxDashboardFile     = 4 << 20 // bytes of a dashboard of a plugin
	MaxInputs            = 100     // of a dashboard that is imported

	MaxGrants = 1000 // permissions of the service account of a plugin

	MaxBody         = 1 << 20   // bytes of a JSON body
	MaxResourceBody = 16 << 20  // bytes of a body for a plugin
	FreeBody        = 32 << 10  // bytes of a body that do not count toward MaxBodies
	MaxBodies       = 32 << 20  // bytes of all bodies in memory
	MaxDecoding     = 64 << 20  // bytes that the values in all bodies take while they are decoded, by an estimate
	MaxResponses    = 32 << 20  // bytes of all responses in memory, not counting those up to FreeResponse
	FreeResponse    = 64 << 10  // bytes
	MemoryTarget    = 176 << 20 // bytes of the process above which garbage is collected more often
	MaxHeaderBytes  = 16 << 10  // of a request, as in Node.js
	MaxHeaders      = 16 << 20  // bytes of memory that all headers take that have not arrived completely
	MaxPluginHeader = 64 << 10  // bytes of the headers of a plugin's response
	MaxConnections  = 2048

	MaxCallerRequests = MaxConnections / 4 // in progress, of one caller

	// Of streams. At most half of the connections follow channels, so that other requests
	// do not wait for them.
	MaxStreamClients     = 1000
	MaxUserStreamClients = 100                // of a user, service account or API key
	MaxChannels          = 100                // that a client follows
	MaxStreams           = 200                // that a plugin runs
	MaxPacket            = 512 << 10          // bytes of a packet of a stream
	MaxPublication       = 64 << 10           // bytes of a message from a client
	MaxStreamData        = 16 << 20           // bytes of the data of subscriptions and messages
	StreamQueue          = MaxPacket + 64<<10 // bytes that wait for a client
	FeedQueue            = 256                // packets that wait for a client of server-sent events
	FreeMessage          = 1 << 10            // bytes from a client that neither count nor wait for a turn

	StreamWriteTimeout = 5 * time.Second // for a client to accept a message
	StreamCheck        = 5 * time.Second // between checks of whether clients may still follow their channels
	StreamUnchecked    = time.Minute     // how long a client that cannot be checked stays
	StreamGrace        = 5 * time.Second // between the last client and the end of a stream

	// Of the expressions of a request together. Intermediate results count, too.
	MaxExpressionPoints      = 500_000
	MaxExpressionItems       = 10_000    // series and numbers
	MaxExpressionComparisons = 2_000_000 // of the labels of two items

	HeaderTimeout = 10 * time.Second // for the headers of a request to arrive
	FirstRequest  = time.Second / 2  // the same, for the first request of a connection while there are MaxConnections
	FirstOverTLS  = 4 * FirstRequest // two more round trips and a signature
	RestOfBody    = 2 * time.Second  // for the rest of a body that is not read
	BodyTimeout   = 30 * time.Second // for a body to arrive
	WriteTimeout  = 20 * time.Second // for a client to accept WriteChunk bytes
	WriteChunk    = 256 << 10        // bytes
	IdleTimeout   = 2 * time.Minute  // for the next request on a connection
	BusyWait      = 2 * time.Second  // for memory that other requests hold
)

// Limit describes a bound in the documentation.
type Limit struct {
	Name   string // what is bounded
	Bound  string // with its unit
	Over   string // what a caller gets when it exceeds the bound
	Reason string
}

// Limits describes the bounds on what callers can make the host hold, store or wait for.
func Limits() []Limit {
	const refused = "400, with the field"
	return []Limit{
		{"items of a playlist", fmt.Sprint(MaxPlaylistItems), refused, "each item can refer to every dashboard"},
		{"entries of a list, by default", fmt.Sprintf("%d, or %d for lists that published clients expect to be complete", DefaultPageLength, MaxPageLength), "the first page; ask for the next with `page`", "a page is held in memory"},
		{"entries of a list", fmt.Sprint(MaxPageLength), "a page of this length; ask for the next with `page`", "a page is held in memory"},
		{"playlists of an organization", fmt.Sprint(MaxPlaylists), "429", "an editor must not fill the disk"},
		{"dashboards of an organization", fmt.Sprint(MaxDashboards), "429", "an editor must not fill the disk"},
		{"tags of a dashboard", fmt.Sprintf("%d, and %s in total", MaxTags, kibibytes(MaxTagBytes)), refused, "lists of dashboards contain them"},
		{"inputs of a dashboard that is imported", fmt.Sprint(MaxInputs), refused, "each is compared with every string in the dashboard"},
		{"folders of an organization", fmt.Sprint(MaxFolders), "429", "an editor must not fill the disk"},
		{"data sources of an organization", fmt.Sprint(MaxDataSources), "429", "an editor must not fill the disk"},
		{"settings of all data sources of an organization", mebibytes(MaxDataSourceSettings), "429", "a list of data sources contains them"},
		{"secrets of a data source or an app", fmt.Sprint(MaxSecrets), refused, "a call to its plugin contains all of them"},
		{"service accounts of an organization", fmt.Sprint(MaxServiceAccounts), "429", "an administrator's script must not fill the disk"},
		{"tokens of a service account", fmt.Sprint(MaxAccountTokens), "429", "a script must not fill the disk; expired tokens are deleted first"},
		{"API keys of an organization", fmt.Sprint(MaxAPIKeys), "429", "a script must not fill the disk; expired keys are deleted first"},
		{"queries of a request", fmt.Sprint(MaxQueries), refused, "each takes memory in the host and in the plugin"},
		{"refId of a query", fmt.Sprintf("%d bytes", MaxRefID), refused, "errors and results repeat it"},
		{"values of the frames in a plugin's response", fmt.Sprint(MaxFrameCells), "502 for the query", "a boolean is one bit in an Arrow file and 26 bytes in memory while it is converted"},
		{"data sources that a request queries at the same time", fmt.Sprint(ParallelSources), "the others wait", "one request must not occupy all plugins"},
		{"points of the built-in data source in a response", fmt.Sprint(MaxWalkPoints), "400 for the query", "a few bytes can ask for any number of points"},
		{"API keys that a plugin created", fmt.Sprint(MaxPluginAPIKeys), "429", "a plugin must not use up the keys of an organization"},
		{"clients of the event stream", fmt.Sprint(MaxFeeds), "503", "each has a queue of events"},
		{"clients of the event stream, per caller", fmt.Sprint(MaxCallerFeeds), "429", "a caller must not use up the event streams"},
		{"permissions of the service account of a plugin", fmt.Sprint(MaxGrants), "the backend does not start; `/api/plugins/errors` has the reason", "each request of the account is checked against them"},
		{"dashboards of a plugin in a list", fmt.Sprint(MaxOfferedDashboards), "a page of this length; ask for the next with `page`", "the list reads their files"},
		{"file of a dashboard of a plugin", mebibytes(MaxDashboardFile), "it cannot be imported", "it is held in memory"},
		{"JSON body", mebibytes(MaxBody), "413", "it is decoded in memory"},
		{"body of a call to a plugin", mebibytes(MaxResourceBody), "413", "it is passed on as one message"},
		{"bodies of all requests", mebibytes(MaxBodies), fmt.Sprintf("503 after %s", BusyWait), "the first " + kibibytes(FreeBody) + " of each body do not count, so that large bodies do not block small ones; an import of a dashboard counts as " + mebibytes(MaxDashboardFile)},
		{"values of all JSON bodies of more than " + kibibytes(FreeBody), mebibytes(MaxDecoding), fmt.Sprintf("503 after %s", BusyWait), "a body takes up to 32 times its size while it is decoded"},
		{"long computations at the same time", "half of the processors, or a quarter for one caller, but at least one", "the others wait", "a short request finds a processor, and no caller waits for all requests of another; this applies to bodies of more than " + kibibytes(FreeBody) + ", frames of plugins, expressions, whole dashboards, the dashboards of a playlist, and lists whose `limit` is absent or more than " + fmt.Sprint(FreeEntries)},
		{"all JSON responses of more than " + kibibytes(FreeResponse), mebibytes(MaxResponses), fmt.Sprintf("503 after %s", BusyWait), "a client that does not read keeps its response in memory"},
		{"points that the expressions of a request compute", fmt.Sprint(MaxExpressionPoints), "the expression fails", "a short window or a long expression turns a few points into many"},
		{"series and numbers that the expressions of a request compute", fmt.Sprint(MaxExpressionItems), "the expression fails", "a union can have more items than its operands"},
		{"pairs of series whose labels the expressions of a request compare", fmt.Sprint(MaxExpressionComparisons), "the expression fails", "a union compares each item of one operand with each item of the other"},
		{"time for a client to read " + kibibytes(WriteChunk), WriteTimeout.String(), "the connection is closed", "a client that does not read must not hold its response in memory"},
		{"time for the headers of a request", HeaderTimeout.String(), "the connection is closed", "a connection costs memory"},
		{"time for a body", BodyTimeout.String(), "408", "what has arrived is held in memory"},
		{"time for the body of a request that needs no credentials, and for the rest of a body that is not read", RestOfBody.String() + ", or 0s if the request needs credentials and they are missing or wrong", "408, or the connection is closed", "other requests need connections, too"},
		{"time between requests on a connection", minutes(IdleTimeout), "the connection is closed", "a connection costs memory"},
		{"memory of the host", mebibytes(MemoryTarget), "garbage is collected more often", "`GOMEMLIMIT` sets another target; the host keeps working above it"},
		{"headers of a request", kibibytes(MaxHeaderBytes), "431", "they are held in memory, on every connection"},
		{"estimated memory for headers that have not arrived completely", mebibytes(MaxHeaders), "the connection with the most is closed", "short headers take many times their size"},
		{"requests of one caller in progress", fmt.Sprint(MaxCallerRequests), "429", "one caller must not take the connections of others; on a route without credentials and on the pages of the console, a network is the caller"},
		{"headers of a plugin's response", kibibytes(MaxPluginHeader), "502", "they are held in memory"},
		{"clients that follow channels", fmt.Sprint(MaxStreamClients), "503", "other requests need connections, too"},
		{"clients of one caller that follow channels", fmt.Sprint(MaxUserStreamClients), "429", "one caller must not take the connections of others"},
		{"channels of a WebSocket", fmt.Sprint(MaxChannels), "the error `limit exceeded`", "a subscription costs memory"},
		{"streams of a plugin", fmt.Sprint(MaxStreams), "503", "viewers choose the names of channels, and each can be a stream"},
		{"streams of a plugin that one caller started", fmt.Sprint(MaxStreams / 2), "429", "one caller must not take the streams of others"},
		{"packet of a stream", kibibytes(MaxPacket), "it is dropped and logged; one over 1 MiB ends the run, and the stream runs again", "each client that reads slowly holds it in memory"},
		{"message to a channel", kibibytes(MaxPublication), "400; a WebSocket is closed", "it is passed on as one message"},
		{"data of all subscriptions and of WebSocket messages in progress", mebibytes(MaxStreamData) + ", or a quarter for one caller", "503, or 429 for one caller", "it is held in memory, because a channel can run again"},
		{"WebSocket messages of more than " + kibibytes(FreeMessage) + " that are decoded, and channels that are opened, at the same time", "half of the processors, or a quarter for one caller, but at least one", "the others wait", "a short request finds a processor and a connection to the database; waiting for a plugin does not count"},
		{"packets that wait for a client", fmt.Sprintf("%s, and %d packets for server-sent events", kibibytes(StreamQueue), FeedQueue), "the client is disconnected", "a client that does not read must not hold packets in memory, nor hold up others"},
		{"time for a client to accept a packet", StreamWriteTimeout.String(), "the client is disconnected", "a client that does not read must not hold packets in memory"},
		{"time within which a client that lost access is disconnected", StreamCheck.String(), "", "a session can end, and a token, a permission or a data source can be deleted"},
		{"time for which a client that the host cannot check stays connected", minutes(StreamUnchecked), "the client is disconnected, and may connect again", "clients survive a short outage of the database, but one that has lost access must not stay for long"},
		{"connections", fmt.Sprint(MaxConnections), fmt.Sprintf("a connection whose first request takes more than %s (%s with TLS) is closed; if there is no such connection and at least half have sent a request, the one that has been idle longest is closed; if neither applies, new connections wait", FirstRequest, FirstOverTLS), "a connection costs memory and a file descriptor"},
	}
}

func mebibytes(n int) string { return fmt.Sprintf("%d MiB", n>>20) }

func kibibytes(n int) string { return fmt.Sprintf("%d KiB", n>>10) }

func minutes(d time.Duration) string { return fmt.Sprintf("%dm", d/time.Minute) }
