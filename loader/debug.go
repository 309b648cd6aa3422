package loader

import (
	"net"
	"path/filepath"
	"slices"
	"time"
)

// Debugging selects the plugins whose backends are debugged. Such a process, and
// calls to it, have no timeouts, since it may be stopped at a breakpoint.
type Debugging struct {
	Launch []string // ids of plugins whose backends run under Delve, or AllPlugins
	Delve  string   // path of the Delve executable; required for Launch
	Wait   bool     // a process under Delve does not run until a client continues it
	// Listening is called before a process starts under Delve, with the loopback address
	// where Delve will accept clients. It may be called concurrently.
	Listening func(pluginID, address string)

	// Attach lists the ids of plugins whose backends are started elsewhere, in standalone mode: the
	// backend writes its address to standalone.txt in the plugin directory, and its process
	// id to pid.txt.
	Attach []string
}

// AllPlugins in Debugging.Launch stands for all plugins that Debugging.Attach does not list.
const AllPlugins = "*"

func (d Debugging) launches(id string) bool {
	return !d.attaches(id) && (slices.Contains(d.Launch, id) || slices.Contains(d.Launch, AllPlugins))
}

func (d Debugging) attaches(id string) bool { return slices.Contains(d.Attach, id) }

// delveStart is how long a backend under Delve may take to complete the handshake if nothing
// holds it. Delve stays when the backend ends, so only time shows that no handshake will come.
const delveStart = 2 * time.Minute

// forPlugin returns the options for a plugin, without timeouts if it is being debugged.
func (o Options) forPlugin(id string) Options {
	if o.isDebugged(id) {
		o.StartTimeout = max(o.StartTimeout, delveStart)
		if o.waits(id) || o.Debug.attaches(id) {
			o.StartTimeout = forever
		}
		o.Limits.Health, o.Limits.Query, o.Limits.Resource = forever, forever, forever
		o.Probes.Interval = -1 // none
	}
	return o
}

func (o Options) isDebugged(id string) bool { return o.Debug.launches(id) || o.Debug.attaches(id) }

// waits reports whether the start of a plugin waits for a client of Delve to continue it.
func (o Options) waits(id string) bool { return o.Debug.Wait && o.Debug.launches(id) }

// wrap makes a command run its executable under Delve.
func (d Debugging) wrap(c *command, id, dir string) error {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	address := free.Addr().String()
	_ = free.Close()
	args := []string{"dlv", "exec", "--headless", "--listen=" + address, "--api-version=2", "--accept-multiclient",
		"--log-dest=" + filepath.Join(dir, "delve.log")} // standard output is that of the backend
	if !d.Wait {
		args = append(args, "--continue")
	}
	c.cmd.Args, c.cmd.Path, c.interrupts = append(args, c.cmd.Path), d.Delve, true
	if d.Listening != nil {
		d.Listening(id, address)
	}
	return nil
}
