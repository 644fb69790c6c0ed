// Package browsertest tests the Dashboard in a real browser. It finds elements by role and name, as assistive
// technology does. It needs Chromium. If NARTHEX_SCREENSHOTS names a folder, the tests save pictures of every
// screen there.
package browsertest
