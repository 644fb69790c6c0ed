import { type House, houseOf, type Platform } from "./platform";
import type { Result } from "./request";
import { listOf, object, orNull, text, yesOrNo } from "./shape";

const backup = object({ lastVerifiedAt: orNull(text), verdict: orNull(text) });

/** The latest verification of a backup. Without a verdict it succeeded; without a time there was none. */
export type Backup = ReturnType<typeof backup>;

const path = "/api/v1/house";

/** Replaces all data about the house. It is a conflict if somebody has replaced them since revision rev. */
export const replaceHouse = (
	platform: Platform,
	{ name, accent, language, timeZone, secondFactor, rev }: House,
): Promise<Result<House>> =>
	platform.send("PUT", path, { name, accent, language, timeZone, secondFactor, rev }, houseOf);

export const readBackup = (platform: Platform): Promise<Result<Backup>> =>
	platform.read(`${path}/backup`, backup);

const factorless = object({
	without: listOf(object({ userId: text, email: text, name: text })),
	more: yesOrNo,
});

/** The administrators without a passkey, whom a house that asks for it stops. There may be more of them. */
export const readFactorless = (platform: Platform): Promise<Result<ReturnType<typeof factorless>>> =>
	platform.read(`${path}/second-factor`, factorless);
