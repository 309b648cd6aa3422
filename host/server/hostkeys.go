package server

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// hostKey is a key in the file that applies to all plugins.
type hostKey struct {
	section, name string
	variable      string // in the configuration of calls; "" if it has another effect
	standard      string // the value if it is not set; "" leaves it out
	check         func(value string) error
}

// hostKeys returns the keys that apply to all plugins, with the names and the standard
// values of existing hosts.
func hostKeys() []hostKey {
	return []hostKey{
		{"dataproxy", "row_limit", "GF_SQL_ROW_LIMIT", "1000000", checkPositive},
		{"dataproxy", "response_limit", "GF_RESPONSE_LIMIT", "", checkCount},
		{"dataproxy", sendUserHeader, "", "", checkBool},
		{"sql_datasources", "max_open_conns_default", "GF_SQL_MAX_OPEN_CONNS_DEFAULT", "100", checkCount},
		{"sql_datasources", "max_idle_conns_default", "GF_SQL_MAX_IDLE_CONNS_DEFAULT", "100", checkCount},
		{"sql_datasources", "max_conn_lifetime_default", "GF_SQL_MAX_CONN_LIFETIME_SECONDS_DEFAULT", "14400", checkCount},
		{"datasources", "concurrent_query_count", "GF_CONCURRENT_QUERY_COUNT", "10", checkPositive},
		{"log", "user_facing_default_error", "GF_USER_FACING_DEFAULT_ERROR", "the request failed; the log of the host has details", nil},
	}
}

const sendUserHeader = "send_user_header"

func checkCount(value string) error {
	if _, err := strconv.ParseUint(value, 10, 31); err != nil {
		return errors.New("must be a number from 0 to 2147483647")
	}
	return nil
}

func checkPositive(value string) error {
	if checkCount(value) != nil || strings.Trim(value, "0") == "" {
		return errors.New("must be a number from 1 to 2147483647")
	}
	return nil
}

func checkBool(value string) error {
	if value != "true" && value != "false" {
		return errors.New("must be true or false")
	}
	return nil
}

// setHost sets what applies to all plugins. The environment wins over the file.
func (r *settingsRead) setHost(keys []hostKey, found []iniKey, environ map[string]string, file string) (err error) {
	for _, key := range keys {
		value, at := key.standard, ""
		if i := slices.IndexFunc(found, func(k iniKey) bool { return k.section == key.section && k.name == key.name }); i >= 0 {
			value, at = found[i].value, fmt.Sprintf("%s:%d: key %s", file, found[i].line, key.name)
		}
		variable := "GF_" + strings.ToUpper(key.section+"_"+key.name)
		if set := environ[variable]; set != "" {
			value, at = set, variable
		}
		if at != "" && key.check != nil {
			if wrong := key.check(value); wrong != nil {
				err = errors.Join(err, fmt.Errorf("%s %w", at, wrong))
				continue
			}
		}
		switch {
		case key.name == sendUserHeader:
			r.sendsUser = value == "true"
		case value != "":
			r.config[key.variable] = value
		}
	}
	return err
}
