import { defineDisplay } from "@narthex/sdk";
import { render } from "preact";
import { linkApi } from "../ui-src/signup";
import css from "../ui-src/signup.css";
import { SignUpPage } from "../ui-src/signuppage";
import { signUpWordsOf } from "../ui-src/signupwords";

/** The page of a link, on which a guest signs up, or sees what they have signed up for. */
export default defineDisplay({
	mount(container, context) {
		context.addStyle(css);
		const say = signUpWordsOf(context);
		render(<SignUpPage api={linkApi(context)} say={say} signal={context.signal} />, container);
		return () => render(null, container);
	},
});
