import { type House, houseOf, type Platform } from "./platform";
import type { Result } from "./request";
import { object, orNull, text } from "./shape";

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
