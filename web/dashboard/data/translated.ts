import { locale } from "../words/words";
import { byName, object, orAbsent, type Shape } from "./shape";

const texts = object({ translations: orAbsent(byName(byName((text) => text))) });

/**
 * An object of a response whose texts may come in further languages, below `translations`. Its texts are
 * always those of the page's language; one that is not translated stays as it is.
 */
export const translated =
	<Value extends object>(shape: Shape<Value>): Shape<Value> =>
	(value) => {
		const result = shape(value);
		const { translations = {} } = texts(value);
		const fields = new Set(Object.values(translations).flatMap(Object.keys));
		for (const field of fields) {
			if (!(field in result)) continue;
			const plain = result[field as keyof Value];
			const get = () => translations[locale.value.language]?.[field] ?? plain;
			Object.defineProperty(result, field, { get, enumerable: true });
		}
		return result;
	};
