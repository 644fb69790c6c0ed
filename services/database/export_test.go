package database

// CloseGrace is closeGrace, for tests.
const CloseGrace = closeGrace
