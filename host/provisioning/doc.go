// Package provisioning reads the files that configure a host without its API, in the format
// of the provisioning directories of plugin repositories:
//
//	datasources/*.yaml  data sources to store and to delete
//	plugins/*.yaml      settings of apps, and of the processes of plugins
//	dashboards/*.yaml   providers, each of which names a directory of dashboards in JSON
//
// A value can contain $NAME, ${NAME} and $__env{NAME}, which are replaced by environment
// variables, and $__file{NAME}, which is replaced by the contents of a file; $$ stands for
// a dollar sign. Keys that this package does not know are ignored.
//
// A user who can write these files can make the host read any file that it has access to,
// and send the contents, as a secret of a data source, to any address. The directory must
// be as trusted as the executable of the host.
package provisioning
