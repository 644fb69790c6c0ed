import { k } from "./words";

/** At least one character that shows: the fillers are letters, but blank. */
const visible = /(?![\u2800\p{Default_Ignorable_Code_Point}])[\p{L}\p{N}\p{P}\p{S}]/u;

/** Controls, format characters (but the two joiners, which names need), and separators of lines. */
const hidden = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/**
 * Why the platform would refuse a name that is not empty, for the field in which it is typed; undefined if it
 * would not. The spaces around it do not count.
 */
export function nameError(typed: string, limit: number): string | undefined {
	const name = typed.trim();
	if (name === "") return undefined;
	const character = hidden.exec(name)?.[0];
	if (character !== undefined) {
		const code = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0") ?? "";
		return k("nameHidden", { code: `U+${code}` });
	}
	if (!visible.test(name)) return k("nameBlank");
	return [...name].length > limit ? k("nameLong", { count: limit }) : undefined;
}
