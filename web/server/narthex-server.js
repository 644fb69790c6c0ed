// The package @narthex/server: what the platform gives to the script of a module's server.
// narthex-server.d.ts has the types.
export const {
	PlatformError, Refusal, Response, can, capability, config, created, db, defineModule, house, invalid,
	links, log, mail, people, realtime, refuse, secret, shape, storage,
} = globalThis.narthex;
