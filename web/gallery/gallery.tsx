import { Confirm, Mark, ToastRegion } from "../kit/index";
import { Buttons, Chips } from "./actions";
import { Choices, Pickers } from "./choices";
import { Drafts, Headers, OtherVersions } from "./drafts";
import { Icons } from "./drawings";
import { Fields, Moments } from "./fields";
import { Rows, Tables } from "./lists";
import { Notes, Toastings, Dialogs, States } from "./messages";
import { questions, toasts } from "./voice";

/** Every component of the kit in every state. */
export function Gallery() {
	return (
		<main class="gallery">
			<header>
				<Mark />
				<h1 tabIndex={-1}>Kit</h1>
			</header>
			<Buttons />
			<Chips />
			<Fields />
			<Moments />
			<Drafts />
			<OtherVersions />
			<Headers />
			<Choices />
			<Pickers />
			<Rows />
			<Tables />
			<Notes />
			<Toastings />
			<Dialogs />
			<States />
			<Icons />
			<ToastRegion toasts={toasts} />
			<Confirm questions={questions} />
		</main>
	);
}
