/**
 * Says that the browser is too old, instead of a page that stays empty. The build writes this into each page
 * before everything else, in ECMAScript 5: it has to run in any browser. What follows it in the page is then
 * plain text that nobody sees, so that none of it starts.
 */
var page = document.documentElement;
var display = page.getAttribute("data-floor") === "display";
var wanted = display
	? { en: "Chromium 94", de: "Chromium 94" }
	: {
			en: "Chrome or Edge 109, Firefox 115, Safari 16.4 (iOS 16.4)",
			de: "Chrome oder Edge 109, Firefox 115, Safari 16.4 (iOS 16.4)",
		};
var sentences = {
	en: "This browser is too old for this page. It needs " + wanted.en + " or newer.",
	de: "Dieser Browser ist zu alt für diese Seite. Sie braucht " + wanted.de + " oder neuer.",
};

/** Whether the browser has what each page needs from its first moment, and nothing can replace. */
function fits(): boolean {
	if (!("adoptedStyleSheets" in document) || !("hasOwn" in Object)) return false;
	return display || (CSS.supports("height", "1dvh") && CSS.supports("container-type", "inline-size"));
}

function language(): string {
	try {
		return localStorage.getItem(page.getAttribute("data-language-key") || "") || navigator.language;
	} catch (_) {
		return navigator.language;
	}
}

if (!fits()) {
	var lang: "en" | "de" = /^de/.test(language() || "") ? "de" : "en";
	document.write(
		'<body><p id="not-loaded" role="alert" lang="' + lang + '">' + sentences[lang] + "</p><plaintext hidden>",
	);
}

export {};
