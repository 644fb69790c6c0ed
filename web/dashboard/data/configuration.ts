import type { Platform } from "./platform";
import type { Result } from "./request";
import { byName, count, listOf, object, orAbsent, type Shape, ShapeError, text, yesOrNo } from "./shape";
import { translated } from "./translated";

/** The possible values of a key. A secret's value never leaves the server. */
export type Value = string | number | boolean;

const scalar: Shape<Value> = (value) => {
	if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean")
		throw new ShapeError();
	return value;
};

const key = translated(object({
	key: text,
	type: text,
	required: yesOrNo,
	default: orAbsent(scalar),
	/** Only in translations: what people call the key and its values. */
	label: orAbsent(text),
	values: orAbsent(byName(text)),
	description: orAbsent(text),
	constraints: object({
		minLength: orAbsent(count),
		maxLength: orAbsent(count),
		minimum: orAbsent(count),
		maximum: orAbsent(count),
		values: orAbsent(listOf(text)),
	}),
	value: orAbsent(scalar),
	configured: yesOrNo,
}));
const configuration = object({
	moduleId: text,
	rev: count,
	keys: listOf(key),
	unknownKeys: listOf(text),
	restartRequired: yesOrNo,
});

export type Key = ReturnType<typeof key>;
export type Configuration = ReturnType<typeof configuration>;
/** The stored values, by key. A missing key has its default, or no value. */
export type Values = Readonly<Record<string, Value>>;

const path = (moduleId: string) => `/api/v1/module-configuration/${encodeURIComponent(moduleId)}`;

export const readConfiguration = (platform: Platform, moduleId: string): Promise<Result<Configuration>> =>
	platform.read(path(moduleId), configuration);

/** Replaces the whole document. It is a conflict if somebody has replaced it since revision rev. */
export const replaceConfiguration = (
	platform: Platform,
	moduleId: string,
	values: Values,
	rev: number,
): Promise<Result<Configuration>> => platform.send("PUT", path(moduleId), { values, rev }, configuration);
