import { defineModuleUi, type ModuleUiContext } from "@narthex/sdk";
import { render } from "preact";
import { useCallback, useState } from "preact/hooks";
import { Card } from "./card";
import css from "./style.css";
import { wordsOf } from "./words";

export default defineModuleUi({
	mount(container, context) {
		if (context.contributions.length === 0) return;
		context.addStyle(css);
		render(<Tiles context={context} />, container);
		return () => render(null, container);
	},
});

/** The tiles of all modules, in the platform's order. */
function Tiles({ context }: { readonly context: ModuleUiContext }) {
	const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
	const changed = useCallback((id: string, hides: boolean) => {
		setHidden((before) => {
			const after = new Set(before);
			if (hides) after.add(id);
			else after.delete(id);
			return after;
		});
	}, []);
	const say = wordsOf(context);
	return (
		<section hidden={hidden.size === context.contributions.length}>
			<h2 class="d-unseen" lang={say.language}>{say("heading")}</h2>
			<div class="cards">
				{context.contributions.map((contribution) => (
					<Card
						key={contribution.id}
						context={context}
						contribution={contribution}
						say={say}
						changed={changed}
					/>
				))}
			</div>
		</section>
	);
}
