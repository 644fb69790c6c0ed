import type { Configuration, Key, Value, Values } from "../../data/configuration";

/** The stored values, without secrets and invalid ones. */
export function storedIn({ keys }: Configuration): Values {
	const found: Record<string, Value> = {};
	for (const { key, value } of keys) if (value !== undefined) found[key] = value;
	return found;
}

/** What is wrong with a value: the id of the text, and what is inserted into it. */
export type Fault = readonly [
	word: "tooShort" | "tooLong" | "noInteger" | "tooLow" | "tooHigh" | "noUrl" | "oneOf",
	fillings?: Readonly<Record<string, number>>,
];

const lengthOf = (value: string): number => [...value].length;

/** Checks a value with the same rules as the server. */
export function faultOf({ type, constraints }: Key, value: Value): Fault | undefined {
	const { minLength = 0, maxLength = Infinity, minimum = -(2 ** 53), maximum = 2 ** 53, values } = constraints;
	if (type === "integer") {
		if (typeof value !== "number" || !Number.isSafeInteger(value)) return ["noInteger"];
		if (value < minimum) return ["tooLow", { count: minimum }];
		return value > maximum ? ["tooHigh", { count: maximum }] : undefined;
	}
	if (typeof value !== "string") return undefined;
	if (type === "enum") return values?.includes(value) ? undefined : ["oneOf"];
	if (type === "url" && !isAddress(value)) return ["noUrl"];
	if (lengthOf(value) < minLength) return ["tooShort", { count: minLength }];
	return lengthOf(value) > maxLength ? ["tooLong", { count: maxLength }] : undefined;
}

function isAddress(text: string): boolean {
	if (!/^https?:\/\//i.test(text)) return false;
	try {
		return Boolean(new URL(text));
	} catch {
		return false;
	}
}

/** The value of a key from the typed text; undefined for no value. */
export function valueOf(key: Key, typed: string): Value | undefined {
	if (key.type === "integer") {
		if (typed.trim() === "") return undefined;
		return /^[-−]?\d+$/.test(typed.trim()) ? Number(typed.trim().replace("−", "-")) : typed;
	}
	// An empty text is a value only if it differs from having no value.
	return typed === "" && (key.default === undefined || key.type === "url") ? undefined : typed;
}

/** The name of the variable for a module's secret, by the same rule as on the server. */
export function secretVariable(moduleId: string, key: string): string {
	const words = key.replace(/(?<=[^A-Z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, "_");
	return `SERVICE_MODULE_SECRET__${moduleId.replaceAll("-", "_").toUpperCase()}__${words.toUpperCase()}`;
}

/** What people call a key: its label, or else the key's own words. */
export const labelOf = ({ key, label }: Pick<Key, "key" | "label">): string =>
	label ?? readable(key.replace(/(?<=[a-z0-9])(?=[A-Z])/g, " ").toLowerCase());

/** What people call a value of an enumeration. */
export const wordOf = ({ values }: Key, value: string): string => values?.[value] ?? readable(value);

/** A word of an enumeration in a readable form: "end_on_time" is "End on time". */
export function readable(word: string): string {
	const spaced = word.replace(/[-_]+/g, " ").trim();
	return spaced === "" ? word : spaced[0]?.toLocaleUpperCase() + spaced.slice(1);
}
