// Package browsertest walks through the Dashboard with a real browser, by role and name, as assistive
// technology sees it. It needs Chromium. With NARTHEX_SCREENSHOTS set to a folder, the walks leave pictures
// of every screen there.
package browsertest
