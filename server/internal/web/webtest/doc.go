// Package webtest has what the tests of the pages stand on: a source that holds
// its calls in memory and scans them, and two weeks of made-up calls of a shop.
//
// In: calls as a test writes them down. Out: the rows of package store, under the
// filters that the pages use. It is for tests only: nothing of the product
// imports it, and it is no store.
package webtest
