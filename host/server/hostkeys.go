package server

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// hostKey is a variable of the host's environment that applies to all plugins.
type hostKey struct {
	variable string
	config   string // in the configuration of calls; "" if it has another effect
	standard string // the value if it is not set; "" leaves it out
	check    func(value string) error
}

// hostKeys returns the variables that apply to all plugins, with the names and the standard
// values of existing hosts.
func hostKeys() []hostKey {
	return []hostKey{
		{"GF_DATAPROXY_ROW_LIMIT", "GF_SQL_ROW_LIMIT", "1000000", checkPositive},
		{"GF_DATAPROXY_RESPONSE_LIMIT", "GF_RESPONSE_LIMIT", "", checkCount},
		{"GF_DATAPROXY_SEND_USER_HEADER", "", "", checkBool},
		{"GF_SQL_DATASOURCES_MAX_OPEN_CONNS_DEFAULT", "GF_SQL_MAX_OPEN_CONNS_DEFAULT", "100", checkCount},
		{"GF_SQL_DATASOURCES_MAX_IDLE_CONNS_DEFAULT", "GF_SQL_MAX_IDLE_CONNS_DEFAULT", "100", checkCount},
		{"GF_SQL_DATASOURCES_MAX_CONN_LIFETIME_DEFAULT", "GF_SQL_MAX_CONN_LIFETIME_SECONDS_DEFAULT", "14400", checkCount},
		{"GF_DATASOURCES_CONCURRENT_QUERY_COUNT", "GF_CONCURRENT_QUERY_COUNT", "10", checkPositive},
		{"GF_LOG_USER_FACING_DEFAULT_ERROR", "GF_USER_FACING_DEFAULT_ERROR", "the request failed; the log of the host has details", nil},
	}
}

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

// setHost sets what applies to all plugins.
func (s *pluginSettings) setHost(environ map[string]string) (err error) {
	for _, key := range hostKeys() {
		value := key.standard
		if set := environ[key.variable]; set != "" {
			value = set
			if key.check != nil {
				if wrong := key.check(value); wrong != nil {
					err = errors.Join(err, fmt.Errorf("%s %w", key.variable, wrong))
					continue
				}
			}
		}
		switch {
		case key.config == "":
			s.sendsUser = value == "true"
		case value != "":
			s.config[key.config] = value
		}
	}
	return err
}
