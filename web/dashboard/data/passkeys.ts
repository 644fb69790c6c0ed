import { newCredential, usedCredential } from "./credential";
import type { Platform } from "./platform";
import { nothing, type Result } from "./request";
import { count, listOf, object, orAbsent, orNull, text } from "./shape";

const passkey = object({
	id: text,
	label: text,
	createdAt: text,
	lastUsedAt: orNull(text),
	recoveryCodes: orAbsent(listOf(text)),
});
const list = object({ passkeys: listOf(passkey), recoveryCodesLeft: count });
const codes = object({ recoveryCodes: listOf(text) });
const options = object({ publicKey: (value: unknown) => value });
const signedIn = object({});

/** A passkey. Only the answer that adds the person's first one has recovery codes. */
export type Passkey = ReturnType<typeof passkey>;
export type Passkeys = ReturnType<typeof list>;

const base = "/api/v1/account/passkeys";
const second = "/api/v1/second-factor";

export const readPasskeys = (platform: Platform): Promise<Result<Passkeys>> => platform.read(base, list);

/**
 * Asks the browser for a passkey and stores it. It rejects with the browser's error: the person has cancelled
 * it, or has one on this device already.
 */
export async function addPasskey(platform: Platform, label: string): Promise<Result<Passkey>> {
	const asked = await platform.send("POST", `${base}/options`, {}, options);
	if (!asked.ok) return asked;
	const credential = await newCredential(asked.value.publicKey);
	return platform.send("POST", base, { label, credential }, passkey);
}

export const removePasskey = (platform: Platform, id: string): Promise<Result<undefined>> =>
	platform.send("POST", `${base}/${id}/remove`, {}, nothing);

export const replaceCodes = (platform: Platform): Promise<Result<{ recoveryCodes: readonly string[] }>> =>
	platform.send("POST", "/api/v1/account/recovery-codes", {}, codes);

/** Asks for the question that a passkey answers. It is refused when no sign-in waits any more. */
export const askForPasskey = (platform: Platform): Promise<Result<{ publicKey: unknown }>> =>
	platform.send("POST", `${second}/options`, {}, options);

/** The second step of a sign-in with a passkey. It rejects with the browser's error. */
export async function signInByPasskey(platform: Platform): Promise<Result<object>> {
	const asked = await askForPasskey(platform);
	if (!asked.ok) return asked;
	const credential = await usedCredential(asked.value.publicKey);
	return platform.send("POST", second, { credential }, signedIn);
}

/** The second step of a sign-in with one of the codes that were shown with the first passkey. */
export const signInByCode = (platform: Platform, recoveryCode: string): Promise<Result<object>> =>
	platform.send("POST", second, { recoveryCode }, signedIn);
