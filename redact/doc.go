// Package redact takes personal data and secrets out of free text: e-mail and
// street addresses, phone numbers, payment cards, accounts, national ids,
// addresses of machines, credentials and keys. Text goes in, the same text
// comes out with each find replaced by a token that names its kind, such as
// [EMAIL_REDACTED]. docs/redaction.md lists the rules.
//
// The function String uses all of them. A Redactor leaves some out, or adds
// rules of its owner's.
//
// The SDK runs it before anything leaves the process, the server once more at
// every door (outcomes.md 5.3). It is idempotent, so running it twice does no
// harm; its time is linear in the length of the text; and it returns the very
// string it was given when there is nothing to find, without an allocation.
//
// It never rewrites an identifier: UUIDs, hashes, versions, timestamps, order
// numbers, prices stay as they are. Where a text could be either, it is an
// identifier unless its shape, a check digit or a word beside it says
// otherwise. It knows no field names of events and keeps nothing of what it
// reads.
package redact
