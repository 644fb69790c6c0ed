package database

// CloseGrace is how long Close waits for connections in use.
const CloseGrace = closeGrace
