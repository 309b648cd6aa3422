// Package demo runs the main job of Slipway from an empty folder to a served
// plugin and says step by step what happens. It works through the same verbs and
// the same HTTP API as a user does.
package demo
