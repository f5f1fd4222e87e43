// Package browser holds the tests that open the pages in Chromium: every page in
// light and dark, wide and narrow, with and without JavaScript.
//
// They need Debian's chromium and axe-core (npm ci in this folder). Nothing here
// is part of the product.
package browser
