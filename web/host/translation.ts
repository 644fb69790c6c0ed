/** What stands on the page for a text: its translation, and the words that the renderer has written. */
interface Translation {
	readonly element: Element;
	readonly words: string;
}

/**
 * Keeps a translated page in step with what is rendered. The translators of browsers replace a text by a
 * <font> element with the translation. Renderers still hold the text: what they write into it, and that they
 * move or remove it, would not be seen. Therefore the text returns to its place, but empty, behind its
 * translation. With the renderer's next change the translation goes, and the translator finds the new words.
 */
export function followTranslators(root: Node): void {
	const translations = new WeakMap<Node, Translation>();
	const texts = new WeakMap<Node, Text>(); // by the element of the translation

	/** Ends a translation. The text has its words again, unless the renderer has written new ones. */
	const end = (text: Text, rewritten: boolean) => {
		const { element, words } = translations.get(text) as Translation;
		translations.delete(text);
		texts.delete(element);
		element.remove();
		if (!rewritten) text.data = words;
	};
	const begin = (text: Text, element: Element) => {
		if (element.contains(text)) text.replaceWith(text.cloneNode());
		translations.set(text, { element, words: text.data });
		texts.set(element, text);
		text.data = "";
		element.after(text);
	};
	/** A text is no longer where it was: it was translated, moved, or removed. */
	const left = (text: Text, { target, addedNodes, previousSibling, nextSibling }: MutationRecord) => {
		if (text.parentNode === target) return;
		if (translations.has(text)) {
			if (!text.parentNode) end(text, false);
			return;
		}
		const around = [...addedNodes, previousSibling, nextSibling];
		const element = around.find((node): node is Element => isNewIn(target, node));
		if (element) begin(text, element);
	};
	/** Whether a node was put into a parent by a translator, and belongs to no text yet. */
	const isNewIn = (parent: Node, node: Node | null) =>
		node?.nodeName === "FONT" && node.parentNode === parent && !texts.has(node);
	/** A translation was taken away: the original is wanted, or another translation. */
	const taken = (text: Text, { target, addedNodes }: MutationRecord) => {
		const { element } = translations.get(text) as Translation;
		if (element.parentNode) return;
		const next = [...addedNodes].find((node): node is Element => isNewIn(target, node));
		end(text, false);
		if (next) begin(text, next);
	};

	const observer = new MutationObserver((records) => {
		for (const record of records) {
			const { target, addedNodes, removedNodes } = record;
			if (record.type === "characterData") {
				if (translations.has(target)) end(target as Text, true);
				continue;
			}
			for (const node of removedNodes) {
				const text = texts.get(node);
				if (text) taken(text, record);
				if (node instanceof Text) left(node, record);
			}
			for (const node of addedNodes) {
				// The renderer has moved the text, or put something between it and its translation.
				for (const text of [node, node.nextSibling] as Text[]) {
					const translation = translations.get(text);
					if (translation && text.previousSibling !== translation.element) text.before(translation.element);
				}
			}
		}
		observer.takeRecords(); // of the changes made here
	});
	observer.observe(root, { subtree: true, childList: true, characterData: true });
}
