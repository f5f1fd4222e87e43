// Package alert tells people when a figure is not as it should be, and when it is
// again.
//
// In: rules (from the metadata or a YAML file), what package query answers, and what
// was known at the last look. Out: one message when an incident begins and one when
// it is over, signed for a webhook, or as Slack, Discord or e-mail take it; a digest
// once a week. What it knows is written down after each look, so that a restart
// neither repeats nor forgets a message, and of several nodes one looks (Store.Lease).
//
// It computes no figure of its own, and it sends nothing but names, counts and a
// link: no message, argument or user of a call.
package alert
