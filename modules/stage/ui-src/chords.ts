/**
 * The name of a chord: a root, perhaps what kind of chord it is, and perhaps a bass. songfile/chord.go has
 * the same rule.
 */
const chord =
	"[A-H](?:#|b|♯|♭)?" +
	"(?:maj|min|dim|aug|sus|add|mi|ma|m|M|[0-9]|\\+|-|°|ø|Δ|\\([0-9#b+-]{1,4}\\)|[#b][0-9]){0,6}" +
	"(?:/[A-H](?:#|b|♯|♭)?)?|N\\.?C\\.?";

const whole = new RegExp(`^(?:${chord})$`);

export const isChord = (name: string): boolean => name.length <= 16 && whole.test(name);
