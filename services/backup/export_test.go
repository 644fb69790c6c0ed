package backup

// Omitted are Core's tables whose rows no backup has.
var Omitted = omitted
