/** The parts of Node's API that these tests use. */
declare module "node:test" {
	export function test(name: string, run: () => void | Promise<void>): void;
}
declare module "node:assert/strict" {
	const assert: {
		equal(actual: unknown, expected: unknown, message?: string): void;
		deepEqual(actual: unknown, expected: unknown, message?: string): void;
		throws(run: () => unknown, error?: new (...args: never[]) => Error, message?: string): void;
	};
	export default assert;
}
declare module "node:fs" {
	export function existsSync(path: string): boolean;
	export function readdirSync(folder: string): string[];
	export function readFileSync(path: string, encoding: "utf8"): string;
}
