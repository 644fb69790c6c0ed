/**
 * Styles for Chromium before 105, which many screens have. A display fills its window, so that units and
 * queries of a container are those of the window. Chromium before 99 has no layers: the rules' order decides.
 */
export function olderStyle(css: string, layers: boolean): string {
	const flat = layers ? css : css.replace(/@layer [^;{]*;/g, "").replace(/@layer [^{]*\{/g, "@media all{");
	return flat
		.replace(/@container\b[^({]*/g, "@media ")
		.replace(/(\d)cq(w|h|min|max)\b/g, "$1v$2")
		.replace(/(\d)cqi\b/g, "$1vw")
		.replace(/(\d)cqb\b/g, "$1vh");
}

/** Rewrites each style sheet and each style attribute that a script sets, those of modules too. */
export function rewriteStyles(): void {
	if ("CSSContainerRule" in window) return;
	const layers = "CSSLayerBlockRule" in window;
	const sheet = CSSStyleSheet.prototype;
	const replace = sheet.replaceSync;
	sheet.replaceSync = function (css) {
		replace.call(this, olderStyle(css, layers));
	};
	const attribute = CSSStyleDeclaration.prototype;
	const cssText = Object.getOwnPropertyDescriptor(attribute, "cssText") as PropertyDescriptor;
	Object.defineProperty(attribute, "cssText", {
		...cssText,
		set(text: string) {
			cssText.set?.call(this, olderStyle(text, layers));
		},
	});
}
