import { locale } from "../words/words";
import type { Shape } from "./shape";

type Texts = Readonly<Record<string, unknown>>;

/**
 * An object of a response whose texts may come in further languages, below `translations`. Its texts are
 * always those of the page's language; one that is not translated stays as it is.
 */
export const translated =
	<Value extends object>(shape: Shape<Value>): Shape<Value> =>
	(value) => {
		const result = shape(value);
		const { translations } = value as { readonly translations?: Readonly<Record<string, Texts>> };
		const fields = new Set(Object.values(translations ?? {}).flatMap((texts) => Object.keys(texts)));
		for (const field of fields) {
			if (!(field in result)) continue;
			const plain = result[field as keyof Value];
			const get = () => translations?.[locale.value.language]?.[field] ?? plain;
			Object.defineProperty(result, field, { get, enumerable: true });
		}
		return result;
	};
